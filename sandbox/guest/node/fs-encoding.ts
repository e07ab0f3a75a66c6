import { utf8toStringLoose } from '@exodus/bytes/utf8.js';
import { decodeBase64, encodeBase64 } from '../web/base64.ts';
import { encodeUtf8 } from '../web/utf8.ts';

export type Encoding = 'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'base64' | 'base64url' | 'hex';

const ALIASES: Readonly<Record<string, Encoding>> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  base64: 'base64',
  base64url: 'base64url',
  hex: 'hex',
};

export function toEncoding(name: unknown): Encoding | undefined {
  const key = String(name).toLowerCase();
  return Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
}

/** As Buffer's toString does: UTF-8 keeps a byte order mark. */
export function decodeFile(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf8':
      return utf8toStringLoose(bytes);
    case 'base64':
      return encodeBase64(bytes);
    case 'base64url':
      return encodeBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
    case 'hex':
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    case 'utf16le':
      return fromUnits(
        bytes.length >> 1,
        (index) => (bytes[index * 2] ?? 0) | ((bytes[index * 2 + 1] ?? 0) << 8),
      );
    case 'latin1':
      return fromUnits(bytes.length, (index) => bytes[index] ?? 0);
    case 'ascii':
      return fromUnits(bytes.length, (index) => (bytes[index] ?? 0) & 0x7f);
  }
}

function fromUnits(count: number, unitAt: (index: number) => number): string {
  let text = '';
  for (let index = 0; index < count; index++) text += String.fromCharCode(unitAt(index));
  return text;
}

export function encodeFile(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'utf8':
      return encodeUtf8(text);
    case 'base64':
    case 'base64url':
      return (
        decodeBase64(
          text
            .replace(/-/g, '+')
            .replace(/_/g, '/')
            .replace(/[^A-Za-z0-9+/]/g, ''),
        ) ?? new Uint8Array()
      );
    case 'hex':
      return Uint8Array.from(text.match(/^(?:[0-9a-f]{2})*/i)?.[0].match(/../g) ?? [], (pair) =>
        Number.parseInt(pair, 16),
      );
    case 'utf16le': {
      const bytes = new Uint8Array(text.length * 2);
      for (let index = 0; index < text.length; index++) {
        bytes[index * 2] = text.charCodeAt(index) & 0xff;
        bytes[index * 2 + 1] = text.charCodeAt(index) >> 8;
      }
      return bytes;
    }
    case 'latin1':
    case 'ascii':
      return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
  }
}
