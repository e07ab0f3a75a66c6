import { utf8fromStringLoose, utf8toStringLoose } from '@exodus/bytes/utf8.js';

export function encodeUtf8(text: string): Uint8Array {
  return utf8fromStringLoose(text);
}

/** "UTF-8 decode": replaces what is malformed and drops a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const content = marked ? bytes.subarray(3) : bytes;
  // The library wants a plain Uint8Array, not an instance of a subclass.
  return utf8toStringLoose(content.constructor === Uint8Array ? content : Uint8Array.from(content));
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
