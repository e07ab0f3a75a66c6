import { create, factory, type MathNode, parseDependencies } from 'mathjs/number';
import { Decimal } from './numbers.ts';

/** mathjs turns each numeral into a value with this: a Decimal keeps all its digits. */
const numeric = factory('numeric', [], () => (text: string) => new Decimal(text));

// Its parser alone is a sixth of mathjs, and loads in a few milliseconds: a call begins with a fresh context.
const math = create({ ...parseDependencies, createNumeric: numeric }, {});

/** What people and models write, in the words of the parser. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\*\*/g, '^'],
  [/[×·⋅]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/π/g, ' pi '],
  [/√\s*(?=\()/g, 'sqrt'],
  [/√\s*([\d.]+)/g, 'sqrt($1)'],
  [/≤/g, '<='],
  [/≥/g, '>='],
  [/≠/g, '!='],
];

export function parse(expression: string): MathNode {
  const text = SPELLINGS.reduce((rest, [pattern, spelling]) => rest.replace(pattern, spelling), expression);
  try {
    return math.parse?.(text) as MathNode;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const place = /\(char (\d+)\)/.exec(reason)?.[1];
    const around = place === undefined ? '' : ` ${pointAt(text, Number(place))}`;
    const separator = /\d,\d{3}\b/.test(text)
      ? ' Write numbers without thousands separators: 1000, not 1,000.'
      : '';
    throw new Error(
      `The expression can't be read: ${reason.replace(/ \(char \d+\)/, '')}${around}.${separator}`,
    );
  }
}

function pointAt(text: string, character: number): string {
  if (character > text.length) return `at the end of "${text.slice(-30)}"`;
  const start = Math.max(0, character - 16);
  return `at character ${character}, here: "${text.slice(start, character - 1)}⟨${text.slice(character - 1, character)}⟩${text.slice(character, character + 15)}"`;
}
