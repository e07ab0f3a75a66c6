/** What the first bytes of common binary files say, and what helps with such a file. */
const SIGNATURES: readonly (readonly [bytes: readonly number[], name: string])[] = [
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0x47, 0x49, 0x46, 0x38], 'a GIF image'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive or an office document (.docx, .xlsx)'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x7f, 0x45, 0x4c, 0x46], 'a program'],
  [[0x4d, 0x5a], 'a Windows program'],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], 'an SQLite database'],
];

export interface Decoded {
  readonly text: string;
  /** Told when the encoding is not UTF-8. */
  readonly note?: string;
}

/** Text of the bytes, or an error that says what they are instead. */
export function decode(bytes: Uint8Array, path: string): Decoded {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe)
    return { text: decodeAs('utf-16le', bytes), note: 'encoding UTF-16 LE' };
  if (first === 0xfe && second === 0xff)
    return { text: decodeAs('utf-16be', bytes), note: 'encoding UTF-16 BE' };
  const known = SIGNATURES.find(([signature]) => signature.every((byte, index) => bytes[index] === byte));
  const hasZero = bytes.subarray(0, 8_192).includes(0);
  if (hasZero || (known !== undefined && !isUtf8(bytes))) {
    const kind = known === undefined ? 'a binary file' : known[1];
    throw new Error(
      `${path} is ${kind} of ${bytes.length} bytes, not text. Ask for its text in another form, or use a tool made for it.`,
    );
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: decodeAs('windows-1252', bytes), note: 'not valid UTF-8, read as windows-1252' };
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function decodeAs(label: string, bytes: Uint8Array): string {
  return new TextDecoder(label).decode(bytes);
}
