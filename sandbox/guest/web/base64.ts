import { DOMException } from './dom-exception.ts';
import { requireArguments, toDOMString } from './webidl.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 255;
const values = new Uint8Array(128).fill(INVALID);
for (let index = 0; index < ALPHABET.length; index++) values[ALPHABET.charCodeAt(index)] = index;

const codes = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const PADDING = 0x3d;

/** Codes that `String.fromCharCode` can take as arguments at a time. */
const PIECE = 8_192;

function fromCodes(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += PIECE) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(index, index + PIECE));
  }
  return text;
}

export function encodeBase64(bytes: Uint8Array): string {
  const output = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let written = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    // The casts: indices of `codes` are below 64, and past the end of the bytes the shifts read undefined as zero.
    const group =
      ((bytes[index] as number) << 16) | ((bytes[index + 1] as number) << 8) | (bytes[index + 2] as number);
    output[written++] = codes[group >> 18] as number;
    output[written++] = codes[(group >> 12) & 63] as number;
    output[written++] = codes[(group >> 6) & 63] as number;
    output[written++] = codes[group & 63] as number;
  }
  const rest = bytes.length % 3;
  if (rest !== 0) output[written - 1] = PADDING;
  if (rest === 1) output[written - 2] = PADDING;
  return fromCodes(output);
}

/** Decodes text without whitespace, as the host sends it; undefined for anything that is no base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let length = text.length;
  if (length % 4 === 0 && text.endsWith('=')) length -= text.endsWith('==') ? 2 : 1;
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array((length * 3) >> 2);
  // The value of a code outside the table is undefined, which the check below must not take for zero.
  const valueAt = (index: number): number => values[text.charCodeAt(index)] ?? INVALID;
  const whole = length - (length % 4);
  let written = 0;
  for (let index = 0; index < whole; index += 4) {
    const a = valueAt(index);
    const b = valueAt(index + 1);
    const c = valueAt(index + 2);
    const d = valueAt(index + 3);
    if ((a | b | c | d) > 63) return undefined;
    bytes[written++] = (a << 2) | (b >> 4);
    bytes[written++] = (b << 4) | (c >> 2);
    bytes[written++] = (c << 6) | d;
  }
  if (length === whole) return bytes;
  const a = valueAt(whole);
  const b = valueAt(whole + 1);
  const c = length - whole === 3 ? valueAt(whole + 2) : 0;
  if ((a | b | c) > 63) return undefined;
  bytes[written++] = (a << 2) | (b >> 4);
  if (length - whole === 3) bytes[written] = (b << 4) | (c >> 2);
  return bytes;
}

export function atob(data: unknown): string {
  requireArguments(arguments.length, 1, 'atob');
  const bytes = decodeBase64(toDOMString(data).replace(/[\t\n\f\r ]/g, ''));
  if (bytes === undefined) {
    throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  }
  return fromCodes(bytes);
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
