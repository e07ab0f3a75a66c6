import { PatternRefused } from './pattern-refused.ts';

export const ANY_CHARACTER = '[\\x00-\\x{10FFFF}]';
export const NO_CHARACTER = '[^\\x00-\\x{10FFFF}]';

/** ECMAScript's white space and line ends; RE2's `\s` knows only ASCII. */
const SPACE =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

export interface Read {
  readonly text: string;
  readonly next: number;
}

type Escape = { readonly next: number } & (
  | { readonly kind: 'character'; readonly code: number }
  /** To be written within brackets. */
  | { readonly kind: 'set'; readonly text: string }
  | { readonly kind: 'assertion'; readonly text: string }
);

/** One character as RE2 reads it, whatever it is. */
export function literal(character: string): string {
  return /^[A-Za-z0-9_]$/.test(character) ? character : hex(character.codePointAt(0) ?? 0);
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** An escape outside of brackets. */
export function readEscape(characters: readonly string[], index: number): Read {
  const read = parseEscape(characters, index, false);
  if (read.kind === 'character') return { text: hex(read.code), next: read.next };
  return { text: read.kind === 'set' ? `[${read.text}]` : read.text, next: read.next };
}

/** `[...]`, whose `[` stands at the index. */
export function readClass(characters: readonly string[], index: number): Read {
  let at = index + 1;
  const negated = characters[at] === '^';
  if (negated) at++;
  let text = '';
  while (characters[at] !== ']') {
    if (at >= characters.length) throw new PatternRefused('lacks a closing bracket');
    const from = readMember(characters, at);
    at = from.next;
    const to =
      characters[at] === '-' && characters[at + 1] !== ']' ? readMember(characters, at + 1) : undefined;
    if (to && from.kind === 'character' && to.kind === 'character') {
      if (to.code < from.code) throw new PatternRefused('has a range that is out of order');
      text += `${hex(from.code)}-${hex(to.code)}`;
      at = to.next;
    } else {
      text += from.kind === 'character' ? hex(from.code) : from.text;
    }
  }
  if (text === '') return { text: negated ? ANY_CHARACTER : NO_CHARACTER, next: at + 1 };
  return { text: `[${negated ? '^' : ''}${text}]`, next: at + 1 };
}

function readMember(characters: readonly string[], index: number): Escape {
  const character = characters[index];
  if (character === undefined) throw new PatternRefused('lacks a closing bracket');
  if (character === '\\') return parseEscape(characters, index, true);
  return { kind: 'character', code: character.codePointAt(0) ?? 0, next: index + 1 };
}

function parseEscape(characters: readonly string[], index: number, inClass: boolean): Escape {
  const name = characters[index + 1];
  if (name === undefined) throw new PatternRefused('ends with a lone backslash');
  const next = index + 2;
  if (name === 'd' || name === 'D' || name === 'w' || name === 'W')
    return { kind: 'set', text: `\\${name}`, next };
  if (name === 's') return { kind: 'set', text: SPACE, next };
  if (name === 'S') return { kind: 'set', text: NOT_SPACE, next };
  if (name === 'p' || name === 'P') return readProperty(characters, index, name);
  if (!inClass) {
    const assertion = readAssertion(name);
    if (assertion !== undefined) return { kind: 'assertion', text: assertion, next };
  }
  if (name === 'b') return { kind: 'character', code: 8, next };
  const control = CONTROLS[name];
  if (control !== undefined) return { kind: 'character', code: control, next };
  return readCode(characters, index, name) ?? { kind: 'character', code: name.codePointAt(0) ?? 0, next };
}

function readAssertion(name: string): string | undefined {
  if (name === 'b' || name === 'B') return `\\${name}`;
  // Not ECMAScript, but what other languages' authors mean is clear.
  if (name === 'A') return '^';
  if (name === 'Z' || name === 'z') return '$';
  if (/^[1-9k]$/.test(name)) {
    throw new PatternRefused('uses a back-reference, which can’t be matched in linear time');
  }
  return undefined;
}

/** `\xHH`, `\uHHHH` (also as a pair of surrogates), `\u{H...}`, `\cX`. */
function readCode(characters: readonly string[], index: number, name: string): Escape | undefined {
  const rest = characters.slice(index, index + 12).join('');
  const pair = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(rest);
  if (pair) {
    const code = String.fromCharCode(Number.parseInt(pair[1] ?? '', 16), Number.parseInt(pair[2] ?? '', 16));
    return { kind: 'character', code: code.codePointAt(0) ?? 0, next: index + 12 };
  }
  const match = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/i.exec(rest);
  if (match) {
    const code = Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16);
    return { kind: 'character', code, next: index + match[0].length };
  }
  const control = /^\\c([A-Za-z])/.exec(rest);
  if (control) return { kind: 'character', code: (control[1] ?? '').charCodeAt(0) % 32, next: index + 3 };
  return name === 'u' || name === 'x'
    ? { kind: 'character', code: name.charCodeAt(0), next: index + 2 }
    : undefined;
}

/** `\p{L}`, `\p{Script=Han}`, `\p{Letter}`: RE2 takes the value's short or script name alone. */
function readProperty(characters: readonly string[], index: number, name: string): Escape {
  const match = /^\\[pP]\{(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?(\w+)\}/.exec(
    characters.slice(index, index + 60).join(''),
  );
  if (!match) throw new PatternRefused('has a \\p without a property in braces');
  const property = match[1] ?? '';
  const short = CATEGORIES[property] ?? property;
  return { kind: 'set', text: `\\${name}{${short}}`, next: index + match[0].length };
}

const CATEGORIES: Readonly<Record<string, string>> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Other: 'C',
  Control: 'Cc',
};
