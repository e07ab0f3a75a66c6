import { utf8fromStringLoose } from '@exodus/bytes/utf8.js';

/** Percent-encoding for the URL parser; the URL API knows no encoding but UTF-8. */
export function percentEncodeAfterEncoding(
  _encoding: string,
  input: string,
  percentEncodeSet: string,
  spaceAsPlus = false,
): string {
  let output = '';
  for (const byte of utf8fromStringLoose(input)) {
    const character = String.fromCharCode(byte);
    if (spaceAsPlus && byte === 0x20) output += '+';
    else if (byte < 0x20 || byte > 0x7e || percentEncodeSet.includes(character)) {
      output += `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
    } else output += character;
  }
  return output;
}
