/**
 * The forms in which a secret may come back. A form is a list of units, each with the byte sequences (as latin1
 * text) that may stand for it, so that mixed spellings (`a%2Fb`, `a\/b`) are found as well as uniform ones.
 */
export type Form = readonly (readonly string[])[];

/** Encoded cores shorter than this match too much of innocent text. */
const SHORTEST_CORE = 4;
/** Shorter secrets are words that occur with a capital by themselves. */
const SHORTEST_FOLDED = 8;

export function formsOf(secret: string): readonly Form[] {
  if (secret === '') return [];
  const forms: Form[] = [spelledForm(secret)];
  const bytes = Buffer.from(secret, 'utf8');
  const sources = [bytes];
  // btoa() takes a text for latin1; the two agree for ASCII.
  if (!bytes.equals(Buffer.from(secret, 'latin1')) && isLatin1(secret)) {
    sources.push(Buffer.from(secret, 'latin1'));
    // What decodes the bytes as UTF-8, as status lines are, puts a replacement character in their place.
    forms.push(
      [...secret].map((character) => [
        ...inBothCases(character, secret),
        ...percent(character),
        ...lost(character),
      ]),
    );
  }
  for (const source of sources) {
    if (source.length * 2 >= SHORTEST_CORE) forms.push(hexForm(source));
    for (const before of [0, 1, 2]) {
      const core = base64Core(source, before);
      if (core.length >= SHORTEST_CORE)
        forms.push([...core].map((character, index) => base64Spellings(character, index === 0)));
    }
  }
  return forms;
}

/** Raw, URL-encoded (once or twice, or as a form), JSON-escaped, HTML-escaped, in any mixture. */
function spelledForm(secret: string): Form {
  return [...secret].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const raw = Buffer.from(character, 'utf8').toString('latin1');
    const spellings = [...inBothCases(raw, secret), ...percent(raw), ...jsonEscapes(character)];
    for (const number of [`#${code}`, `#x${code.toString(16)}`, `#X${code.toString(16)}`]) {
      spellings.push(`&${number};`);
    }
    const named = HTML_NAMES[character];
    if (named) spellings.push(...named);
    if (character === ' ') spellings.push('+');
    return cased(spellings);
  });
}

/** Host names and header names come back in small letters. */
function inBothCases(character: string, secret: string): readonly string[] {
  if (secret.length < SHORTEST_FOLDED || !/^[A-Za-z]$/.test(character)) return [character];
  return [character.toLowerCase(), character.toUpperCase()];
}

function lost(character: string): readonly string[] {
  return character > '\u007f' ? [Buffer.from('\ufffd', 'utf8').toString('latin1')] : [];
}

const HTML_NAMES: Readonly<Record<string, readonly string[]>> = {
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '"': ['&quot;'],
  "'": ['&apos;', '&#039;'],
};

function percent(raw: string): readonly string[] {
  const codes = [...raw].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase());
  return [codes.map((code) => `%${code}`).join(''), codes.map((code) => `%25${code}`).join('')];
}

function jsonEscapes(character: string): readonly string[] {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const escapes = [units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')];
  const short = JSON.stringify(character).slice(1, -1);
  if (short.startsWith('\\') && short.length === 2) escapes.push(short);
  if (character === '/') escapes.push('\\/');
  // JSON inside JSON.
  return [...escapes, ...escapes.map((once) => JSON.stringify(once).slice(1, -1))];
}

/** Hex digits of an escape come in either case; the letters of a raw spelling do not change. */
function cased(spellings: readonly string[]): readonly string[] {
  const all = new Set(spellings);
  for (const spelling of spellings) {
    if (!/^(?:%|\\+u|&#)/.test(spelling)) continue;
    all.add(spelling.replace(/[a-f]/g, (digit) => digit.toUpperCase()));
    all.add(spelling.replace(/[A-F]/g, (digit) => digit.toLowerCase()));
  }
  return [...all];
}

function hexForm(bytes: Buffer): Form {
  return [...bytes].map((byte, index) => {
    const lower = byte.toString(16).padStart(2, '0');
    const plain = [...new Set([lower, lower.toUpperCase()])].flatMap((digits) => [digits, `\\x${digits}`]);
    return index === 0 ? plain : plain.flatMap((digits) => [digits, `:${digits}`, ` ${digits}`]);
  });
}

/** The base64 characters that depend on the secret alone when `before` bytes (mod 3) precede it. */
function base64Core(bytes: Buffer, before: number): string {
  const padded = Buffer.concat([Buffer.alloc(before), bytes]);
  const text = padded.toString('base64').replace(/=+$/, '');
  const first = [0, 2, 3][before] ?? 0;
  // The last character mixes in the bytes that follow, unless a group of three ends right here.
  return text.slice(first, padded.length % 3 === 0 ? undefined : -1);
}

function base64Spellings(character: string, first: boolean): readonly string[] {
  const plain =
    character === '+'
      ? ['+', '-', '%2B', '%2b', '\\u002b', '\\u002B', '%252B']
      : character === '/'
        ? ['/', '_', '%2F', '%2f', '\\/', '%252F']
        : [character];
  if (first) return plain;
  // Encoders for mail break lines, and a line break may have been escaped.
  return plain.flatMap((spelling) => [
    spelling,
    `\n${spelling}`,
    `\r\n${spelling}`,
    `\\n${spelling}`,
    `\\r\\n${spelling}`,
  ]);
}

function isLatin1(text: string): boolean {
  return Buffer.from(text, 'latin1').toString('latin1') === text;
}
