import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../core/schema/pattern.ts';

const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'b',
    'ab',
    'aab',
    'a-b',
    'a_b',
    'a.b',
    'abc.def',
    '..',
    '.a',
    'a.',
    'foo',
    'foobar',
    'user@example.com',
  ],
  ...['é', '汉', '汉字', '😀', 'Ω', '٣', 'a\nb', '\r', '\u2028', '\u00a0', '\v', ' ', '\b', '\0', '\u0001'],
  ...[
    '1',
    '12',
    '2020-01-02',
    'Ab1!xyz99',
    '\\',
    '[',
    ']',
    '{',
    'a{,5}',
    '-',
    '/x/y',
    'x'.repeat(50),
    'x'.repeat(1_500),
  ],
];

describe('a pattern matches what ECMAScript matches', () => {
  const patterns = [
    ...[
      '^a$',
      '\\s',
      '\\S',
      '^.$',
      '[\\s\\S]',
      '[^\\s]',
      '\\d+',
      '\\D',
      '\\W',
      '[^\\w]',
      '\\bfoo\\b',
      '\\Bb',
      'a|b',
      '^a|b$',
    ],
    ...[
      '\\u00e9',
      '[\\u4e00-\\u9fa5]+',
      '\\u{1F600}',
      '\\uD83D\\uDE00',
      '\\x41',
      '\\cA',
      '\\0',
      '[\\b]',
      '\\v',
      '[]',
      '[^]',
    ],
    ...['\\p{L}', '\\P{L}', '\\p{Script=Han}', '\\p{Letter}', '[\\p{Lu}\\d]'],
    ...[
      '^[\\w.-]+$',
      '^[\\w\\-]+$',
      '\\-',
      '{',
      'a{,5}',
      '[\\d-x]',
      '[a-\\d]',
      '\\/',
      '[.*+?^$(){}|[\\]\\\\]',
      '[\\]]',
    ],
    ...[
      '^(?<y>\\d{4})-\\d\\d',
      '(a)(b)?',
      '(?:ab)+?',
      '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      'x{50}',
      '^(a+)+$',
    ],
    ...[
      '^.{1,5000}$',
      '^[\\s\\S]{2,1200}$',
      '(?:x{1,1400})$',
      '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
      '^.{3,}$',
      '^x{1100,}$',
    ],
    ...[
      '^(?!foo)[a-z]+$',
      '^(?!.*\\.\\.)[a-z.]+$',
      '^(?=.*[A-Z])(?=.*\\d)(?=.*[a-z]).{8,}$',
      '^[a-z.]+(?<!\\.)$',
      '^(?!a)(?=.b).*$',
    ],
  ];
  it.each(patterns)('%s', (source) => {
    const compiled = compilePattern(source);
    if (!compiled.ok) throw new Error(compiled.reason);
    const native = nativePattern(source);
    for (const text of TEXTS) expect([text, compiled.pattern.test(text)]).toEqual([text, native.test(text)]);
  });
});

/** What ajv would compile; without the flag where the pattern is of the older syntax. */
function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

describe('a pattern is refused with the reason', () => {
  it.each([
    ['(a)\\1', 'back-reference'],
    ['(?<x>a)\\k<x>', 'back-reference'],
    ['(?<=a)b', 'look-around'],
    ['a(?=b)', 'look-around'],
    ['^(?:(?!x).)*$', 'look-around'],
    ['^(?!foo)a|b', 'look-around'],
    ['((a', 'closing parenthesis'],
    ['a)', 'never opened'],
    ['[a', 'closing bracket'],
    ['*', 'repeats nothing'],
    ['[z-a]', 'out of order'],
    ['a{3,1}', 'out of order'],
    ['a*+', 'repetition'],
    ['a\\', 'backslash'],
    ['\\p{Nothing}', 'regular expression'],
    ['(?:a{100}){100}', 'repeats too much'],
    ['(?:abcdefghijklmnopqrstuvwxyz){1000}', 'repeats too much'],
    ['(?:a{40}){40}', '1000 times'],
    ['x'.repeat(5_000), '4096'],
    ['('.repeat(2_000), '200 groups'],
  ])('%s', (source, reason) => {
    expect(compilePattern(source)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});

it('no text makes a pattern hang', () => {
  const hostile = ['^(a+)+$', '^(a|a)*$', '(x+x+)+y', '^(?:a?){300}a{300}$', '(?:.*,){20}P', '^(\\w+\\s?)*$'];
  for (const source of hostile) {
    const compiled = compilePattern(source);
    expect(compiled.ok && compiled.pattern.test(`${'a'.repeat(100_000)}!`)).toBe(false);
  }
});
