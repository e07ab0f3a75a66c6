import { describe, expect, it } from 'vitest';
import type { Issue } from '../../core/call/result.ts';
import { compileValidator } from '../../core/schema/validator.ts';

type Schema = Record<string, unknown>;

async function issues(schema: Schema, value: unknown, locale: 'en' | 'zh' = 'en'): Promise<Issue[]> {
  const compiled = await compileValidator(schema, { locale });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.validator.validate(value);
}

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });

const cases: [what: string, schema: Schema, value: unknown, english: string[], chinese: string[]][] = [
  [
    'a missing key',
    object({ city: { type: 'string' } }, { required: ['city'] }),
    {},
    ['`city` is required but missing; it must be a string.'],
    ['缺少必填的 `city`，应为字符串。'],
  ],
  [
    'a missing key that came under another name',
    object({ file_path: { type: 'string' } }, { required: ['file_path'] }),
    { filePath: 'x' },
    [
      '`file_path` is required but missing; it must be a string. `filePath` was given; is that what was meant?',
    ],
    ['缺少必填的 `file_path`，应为字符串。收到了 `filePath`，是否就是它？'],
  ],
  [
    'an unknown key',
    object({ city: {}, units: {} }, { additionalProperties: false }),
    { citty: 'x' },
    ['`citty` is not a known key; known here: `city`, `units`. Did you mean `city`?'],
    ['`citty` 不是已知的键；此处可用的键：`city`、`units`。是否想写 `city`？'],
  ],
  [
    'a wrong type',
    object({ n: { type: 'integer' } }),
    { n: 'three' },
    ['`n` must be an integer, not the string "three".'],
    ['`n` 应为整数，而收到的是字符串 "three"。'],
  ],
  [
    'a nested path',
    object({ filters: { type: 'array', items: object({ name: { type: ['string', 'null'] } }) } }),
    { filters: [{}, { name: 4 }] },
    ['`filters[1].name` must be a string or null, not the number 4.'],
    ['`filters[1].name` 应为字符串或null，而收到的是数字 4。'],
  ],
  [
    'a key that is no identifier',
    object({ headers: object({ 'Content-Type': { type: 'string' } }) }),
    { headers: { 'Content-Type': true } },
    ['`headers["Content-Type"]` must be a string, not the boolean true.'],
    ['`headers["Content-Type"]` 应为字符串，而收到的是布尔值 true。'],
  ],
  [
    'the root',
    object({}),
    [1, 2],
    ['The arguments must be an object, not an array of 2 items.'],
    ['参数应为对象，而收到的是含 2 项的数组。'],
  ],
  [
    'a value that is not allowed',
    object({ units: { enum: ['metric', 'imperial'] } }),
    { units: 'metrik' },
    ['`units` must be one of "metric", "imperial", not the string "metrik". Did you mean "metric"?'],
    ['`units` 应为以下之一："metric"、"imperial"，而收到的是字符串 "metrik"。是否想写 "metric"？'],
  ],
  [
    'a fixed value',
    object({ v: { const: 2 } }),
    { v: 3 },
    ['`v` must be exactly 2, not the number 3.'],
    ['`v` 应为2，而收到的是数字 3。'],
  ],
  [
    'ranges',
    object({ a: { minimum: 1 }, b: { exclusiveMaximum: 5 }, c: { multipleOf: 5 } }),
    { a: 0, b: 5, c: 3 },
    [
      '`a` must be at least 1, not the number 0.',
      '`b` must be less than 5, not the number 5.',
      '`c` must be a multiple of 5, not the number 3.',
    ],
    [
      '`a` 应为不小于 1 的数，而收到的是数字 0。',
      '`b` 应为小于 5 的数，而收到的是数字 5。',
      '`c` 应为5 的倍数，而收到的是数字 3。',
    ],
  ],
  [
    'lengths',
    object({ s: { minLength: 2 }, l: { maxItems: 1 }, o: { minProperties: 1 } }),
    { s: 'a', l: [1, 2], o: {} },
    [
      '`s` must be a string of at least 2 characters, not the string "a".',
      '`l` must be an array of at most 1 item, not an array of 2 items.',
      '`o` must be an object with at least 1 key, not an empty object.',
    ],
    [
      '`s` 应为至少 2 个字符的字符串，而收到的是字符串 "a"。',
      '`l` 应为至多 1 项的数组，而收到的是含 2 项的数组。',
      '`o` 应为至少 1 个键的对象，而收到的是空对象。',
    ],
  ],
  [
    'a format and a pattern',
    object({ d: { format: 'date' }, p: { pattern: '^[A-Z]{3}\\d$' } }),
    { d: 'soon', p: 'usd' },
    [
      '`d` must be a string in the format date, such as 2024-05-31, not the string "soon".',
      '`p` must be a string that matches the pattern ^[A-Z]{3}\\d$, not the string "usd".',
    ],
    [
      '`d` 应为格式为 date 的字符串（例如 2024-05-31），而收到的是字符串 "soon"。',
      '`p` 应为匹配正则表达式 ^[A-Z]{3}\\d$ 的字符串，而收到的是字符串 "usd"。',
    ],
  ],
  [
    'an item that comes twice',
    object({ tags: { uniqueItems: true } }),
    { tags: ['a', 'b', 'a'] },
    ['`tags` must not repeat an item, but items 0 and 2 are both "a".'],
    ['`tags` 中的项不得重复，但第 0 项和第 2 项（从 0 起）都是 "a"。'],
  ],
  [
    'contains',
    object({ l: { type: 'array', contains: { type: 'integer', minimum: 5 } } }),
    { l: ['a', 1] },
    ['`l` must have at least 1 item that is an integer.'],
    ['`l` 中至少要有 1 项为整数。'],
  ],
  [
    'a key of the wrong form',
    object({ m: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } } }),
    { m: { X1: 1 } },
    ['`m` has the key `X1`, which is not allowed: a key must be a string that matches the pattern ^[a-z]+$.'],
    ['`m` 含有不允许的键 `X1`：键应为匹配正则表达式 ^[a-z]+$ 的字符串。'],
  ],
  [
    'a key that another one needs',
    object({}, { dependentRequired: { from: ['to'] } }),
    { from: 1 },
    ['`to` is missing; it is required when `from` is given.'],
    ['缺少 `to`：给出 `from` 时必须同时给出它。'],
  ],
  [
    'what then wants',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    object({ kind: {} }, { if: { properties: { kind: { const: 'a' } } }, then: { required: ['x'] } }),
    { kind: 'a' },
    ['`x` is required but missing.'],
    ['缺少必填的 `x`。'],
  ],
  [
    'what is excluded',
    object({ x: { not: { enum: ['root', 'admin'] } } }),
    { x: 'root' },
    ['`x` must be anything but one of "root", "admin", not the string "root".'],
    ['`x` 应为以下之一："root"、"admin"以外的值，而收到的是字符串 "root"。'],
  ],
];

describe('an issue is one sentence with the path, what was expected, what came and what is allowed', () => {
  it.each(cases)('%s', async (_what, schema, value, english, chinese) => {
    expect((await issues(schema, value)).map(({ message }) => message)).toEqual(english);
    expect((await issues(schema, value, 'zh')).map(({ message }) => message)).toEqual(chinese);
  });

  it('and its parts for programs', async () => {
    expect(await issues(object({ unit: { enum: ['c', 'fahrenheit'] } }), { unit: 'farenheit' })).toEqual([
      {
        path: 'unit',
        keyword: 'enum',
        message: expect.any(String),
        expected: 'one of "c", "fahrenheit"',
        received: 'the string "farenheit"',
        allowed: ['c', 'fahrenheit'],
        suggestion: 'fahrenheit',
      },
    ]);
  });

  it('that quotes little of a long value', async () => {
    const schema = object({ a: { type: 'integer' }, [`k${'e'.repeat(5_000)}`]: { type: 'integer' } });
    const value = {
      a: 'x'.repeat(100_000),
      [`k${'e'.repeat(5_000)}`]: { deep: { deeper: 'y'.repeat(9_000) } },
    };
    const found = await issues(schema, value);
    expect(found[0]?.message).toContain('100000 characters');
    expect(found[0]?.message.length).toBeLessThan(250);
  });

  it('that lists the first of many allowed values', async () => {
    const allowed = Array.from({ length: 500 }, (_, index) => `value-${index}`);
    const [issue] = await issues(object({ a: { enum: allowed } }), { a: 'other' });
    expect(issue?.message).toContain('480 more');
  });
});

describe('of anyOf and oneOf only the branch that was meant is told', () => {
  const circle = object(
    { kind: { const: 'circle' }, radius: { type: 'number' } },
    { required: ['kind', 'radius'] },
  );
  const square = object(
    { kind: { const: 'square' }, side: { type: 'number' } },
    { required: ['kind', 'side'] },
  );
  const shapes = [circle, square];

  const pruned: [what: string, schema: Schema, value: unknown, expected: string[]][] = [
    [
      'by a discriminator',
      { anyOf: shapes },
      { kind: 'square' },
      ['`x.side` is required but missing; it must be a number.'],
    ],
    [
      'by a discriminator behind a $ref',
      { oneOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }] },
      { kind: 'circle', radius: 'r' },
      ['`x.radius` must be a number, not the string "r".'],
    ],
    [
      'whose discriminator is misspelt',
      { oneOf: shapes },
      { kind: 'squre', side: 1 },
      ['`x.kind` must be one of "circle", "square", not the string "squre". Did you mean "square"?'],
    ],
    [
      'whose discriminator is missing',
      { oneOf: shapes },
      { side: 1 },
      ['`x.kind` is required but missing; it must be one of "circle", "square".'],
    ],
    [
      'by the type',
      { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
      0,
      ['`x` must be at least 1, not the number 0.'],
    ],
    [
      'by the fewest errors',
      {
        anyOf: [
          object({}, { required: ['a', 'b', 'c'] }),
          object({ d: { type: 'integer' } }, { required: ['d'] }),
        ],
      },
      { d: 'x' },
      ['`x.d` must be an integer, not the string "x".'],
    ],
    [
      'within another one',
      { anyOf: [{ type: 'array', items: { anyOf: shapes } }, { type: 'null' }] },
      [{ kind: 'circle', radius: 1 }, { kind: 'circle' }],
      ['`x[1].radius` is required but missing; it must be a number.'],
    ],
  ];
  it.each(pruned)('%s', async (_what, schema, value, expected) => {
    const root = { ...object({ x: schema }), $defs: { circle, square } };
    expect((await issues(root, { x: value })).map(({ message }) => message)).toEqual(expected);
  });

  const unclear: [what: string, schema: Schema, value: unknown, expected: string[]][] = [
    [
      'types',
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      true,
      ['`x` must be a string or an integer, not the boolean true.'],
    ],
    [
      'values',
      { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] },
      'd',
      ['`x` must be one of "a", "b", "c", not the string "d".'],
    ],
    [
      'objects',
      { anyOf: [object({}, { required: ['id'] }), object({}, { required: ['name'] })] },
      {},
      [
        '`x` must be one of these: (1) an object with `id`; (2) an object with `name`; it is an empty object.',
      ],
    ],
    [
      'more than one that fits',
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      1,
      ['`x` fits more than one of the alternatives, of which exactly one must hold: an integer; a number.'],
    ],
  ];
  it.each(unclear)(
    'and where none clearly was, the alternatives: %s',
    async (_what, schema, value, expected) => {
      expect((await issues(object({ x: schema }), { x: value })).map(({ message }) => message)).toEqual(
        expected,
      );
    },
  );

  it('while what is wrong beside it is told as well', async () => {
    const root = object({ x: { anyOf: shapes }, y: { type: 'string' } }, { required: ['z'] });
    expect((await issues(root, { x: { kind: 'circle' }, y: 1 })).map(({ path }) => path).sort()).toEqual([
      'x.radius',
      'y',
      'z',
    ]);
  });
});
