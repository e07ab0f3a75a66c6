import { DOMException } from './dom-exception.ts';
import { requireArguments, toDOMString } from './webidl.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 255;
const values = new Uint8Array(128).fill(INVALID);
for (let index = 0; index < ALPHABET.length; index++) values[ALPHABET.charCodeAt(index)] = index;

/** Pieces that `String.fromCharCode` can take as arguments at a time. */
const PIECE = 8_190;

export function encodeBase64(bytes: Uint8Array): string {
  let output = '';
  const codes: number[] = [];
  const code = (value: number): number => ALPHABET.charCodeAt(value & 63);
  for (let index = 0; index < bytes.length; index += 3) {
    const a = bytes[index] ?? 0;
    const b = bytes[index + 1];
    const c = bytes[index + 2];
    codes.push(
      code(a >> 2),
      code((a << 4) | ((b ?? 0) >> 4)),
      b === undefined ? 0x3d : code((b << 2) | ((c ?? 0) >> 6)),
      c === undefined ? 0x3d : code(c),
    );
    if (codes.length >= PIECE) {
      output += String.fromCharCode(...codes);
      codes.length = 0;
    }
  }
  return output + String.fromCharCode(...codes);
}

/** Decodes canonical text without whitespace, as the host sends it; undefined for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let length = text.length;
  if (length % 4 === 0 && text.endsWith('=')) length -= text.endsWith('==') ? 2 : 1;
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array((length * 3) >> 2);
  let buffered = 0;
  let bits = 0;
  let written = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    const value = code < 128 ? (values[code] ?? INVALID) : INVALID;
    if (value === INVALID) return undefined;
    buffered = ((buffered << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[written++] = (buffered >> bits) & 0xff;
    }
  }
  return bytes;
}

export function atob(data: unknown): string {
  requireArguments(arguments.length, 1, 'atob');
  const bytes = decodeBase64(toDOMString(data).replace(/[\t\n\f\r ]/g, ''));
  if (bytes === undefined) {
    throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  }
  let output = '';
  for (let index = 0; index < bytes.length; index += PIECE) {
    output += String.fromCharCode(...bytes.subarray(index, index + PIECE));
  }
  return output;
}

export function btoa(data: unknown): string {
  requireArguments(arguments.length, 1, 'btoa');
  const text = toDOMString(data);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 255) throw new DOMException('Invalid character', 'InvalidCharacterError');
    bytes[index] = code;
  }
  return encodeBase64(bytes);
}
