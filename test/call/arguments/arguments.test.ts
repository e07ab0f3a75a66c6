import { describe, expect, test } from 'vitest';
import { applyDefaults } from '../../../core/call/arguments/apply-defaults.ts';
import { repairArguments } from '../../../core/call/arguments/repair-arguments.ts';
import { minimalExample } from '../../../core/call/minimal-example.ts';
import type { JsonSchema } from '../../../core/plugin/manifest.ts';
import { bench, failed, makeTool, succeeded } from '../support.ts';

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

/** Calls a tool with these parameters; tells what JSON text it ran with, or the error's code. */
async function outcome(parameters: JsonSchema, args: unknown, finishReason?: string) {
  const ran: string[] = [];
  const tool = makeTool({
    parameters,
    run: (run) => {
      ran.push(run.argumentsJson);
      return { kind: 'value', json: '"ran"', usage: { cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 } };
    },
  });
  const result = await bench([tool]).call({
    arguments: args,
    ...(finishReason === undefined ? {} : { finishReason }),
  });
  const repairs = (result.repairs ?? []).map(({ path, kind }) => (path === '' ? kind : `${path} ${kind}`));
  return { ran: ran[0], code: result.ok ? undefined : result.error.code, repairs, content: result.content };
}

const ANY = object({});
const NEEDS_CITY = object({ city: { type: 'string' } }, { required: ['city'] });

describe('valid arguments', () => {
  test.each([
    ['{"city":"Bern"}', NEEDS_CITY],
    [' {\n "city" : "B\\u0065rn" }\n', NEEDS_CITY],
    ['{"id": 12345678901234567890}', object({ id: { type: 'integer' } })],
    ['{"x": 1.0, "y": 1e2, "z": -0.0}', object({ x: { type: 'integer' }, y: { type: 'number' } })],
    ['{"text": "{\\"a\\": 1}"}', object({ text: { type: 'string' } })],
    ['{"text": "{\\"a\\": 1}"}', object({ text: { type: ['object', 'string'] } })],
    ['{"text": "{\\"a\\": 1}"}', object({ text: {} })],
    ['{"id": "00123"}', object({ id: { type: 'string' } })],
    ['{"id": "12345"}', object({ id: { type: ['integer', 'string'] } })],
    ['{"id": "12345"}', object({ id: { anyOf: [{ type: 'integer' }, { type: 'string' }] } })],
    ['{"flag": "true"}', object({ flag: { type: 'string' } })],
    ['{"note": null}', object({ note: { type: ['string', 'null'] } })],
    ['{"note": null}', object({ note: { type: ['null', 'string'] } })],
    ['{"note": null}', object({ note: { anyOf: [{ type: 'null' }, { type: 'string' }] } })],
    ['{"note": null}', object({ note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: 'x' } })],
    ['{"note": null}', object({ note: { $ref: '#/$defs/n' } }, { $defs: { n: { enum: ['a', null] } } })],
    ['{}', ANY],
  ])('%s runs byte for byte', async (text, parameters) => {
    expect(await outcome(parameters, text)).toEqual({
      ran: text,
      code: undefined,
      repairs: [],
      content: 'ran',
    });
  });

  test('an object runs as it is and is never changed', async () => {
    const args = Object.freeze({ list: Object.freeze(['1']), count: '2' });
    const parameters = object({
      list: { type: 'array', items: { type: 'integer' } },
      count: { type: 'integer' },
    });
    expect(await outcome(parameters, args)).toMatchObject({ ran: '{"list":[1],"count":2}' });
    expect(args).toEqual({ list: ['1'], count: '2' });
  });
});

describe('arguments that are none', () => {
  test.each(['', '   \n', 'null', null, undefined, '""', '"null"'])(
    '%j counts as no arguments',
    async (args) => {
      expect(await outcome(ANY, args)).toMatchObject({ ran: '{}', repairs: ['empty_arguments'] });
      expect(await outcome(NEEDS_CITY, args)).toMatchObject({ ran: undefined, code: 'invalid_arguments' });
    },
  );

  test.each([
    ['5', 'not a number'],
    [5, 'not a number'],
    ['"text"', 'not a text'],
    ['[1]', 'not an array'],
    [[1], 'not an array'],
    ['true', 'not true or false'],
    [[{ city: 'Bern' }], 'not an array'],
    ['"5"', 'not a text'],
  ])('%j is refused with what it is', async (args, words) => {
    const { ran, code, content } = await outcome(NEEDS_CITY, args);
    expect({ ran, code }).toEqual({ ran: undefined, code: 'invalid_arguments' });
    expect(content).toContain(words);
  });

  test('one double encoding is undone, a second one is not', async () => {
    const once = JSON.stringify('{"city":"Bern"}');
    expect(await outcome(NEEDS_CITY, once)).toMatchObject({
      ran: '{"city":"Bern"}',
      repairs: ['double_encoded'],
    });
    expect(await outcome(NEEDS_CITY, JSON.stringify(once))).toMatchObject({
      ran: undefined,
      code: 'invalid_arguments',
    });
  });
});

describe('repairs', () => {
  const NESTED = object({
    filter: object({ n: { type: 'integer' } }),
    ids: { type: 'array', items: { type: 'integer' } },
  });

  test.each<[string, unknown, JsonSchema, string, string[]]>([
    [
      'an object sent as text',
      { filter: '{"n": 1}' },
      NESTED,
      '{"filter":{"n":1}}',
      ['filter parsed_json_string'],
    ],
    ['an array sent as text', { ids: '[1, 2]' }, NESTED, '{"ids":[1,2]}', ['ids parsed_json_string']],
    [
      'text inside that text',
      { filter: '{"n": "7"}' },
      NESTED,
      '{"filter":{"n":7}}',
      ['filter parsed_json_string', 'filter.n numeral_to_number'],
    ],
    ['a numeral in a list', { ids: [1, '2'] }, NESTED, '{"ids":[1,2]}', ['ids[1] numeral_to_number']],
    [
      'an integer',
      { n: '12345' },
      object({ n: { type: 'integer' } }),
      '{"n":12345}',
      ['n numeral_to_number'],
    ],
    ['a decimal', { n: '-1.5' }, object({ n: { type: 'number' } }), '{"n":-1.5}', ['n numeral_to_number']],
    [
      'a big integer, digit by digit',
      { n: '12345678901234567890' },
      object({ n: { type: 'integer' } }),
      '{"n":12345678901234567890}',
      ['n numeral_to_number'],
    ],
    ['true', { b: 'true' }, object({ b: { type: 'boolean' } }), '{"b":true}', ['b text_to_boolean']],
    ['null for an optional', { s: null }, object({ s: { type: 'string' } }), '{}', ['s dropped_null']],
    [
      'null for a default',
      { s: null },
      object({ s: { type: 'string', default: 'x' } }, { required: ['s'] }),
      '{"s":"x"}',
      ['s dropped_null'],
    ],
    [
      'a numeral where null is allowed too',
      { n: '1' },
      object({ n: { type: ['null', 'integer'] } }),
      '{"n":1}',
      ['n numeral_to_number'],
    ],
    [
      'a numeral behind $ref',
      { n: '1' },
      object({ n: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'integer' } } }),
      '{"n":1}',
      ['n numeral_to_number'],
    ],
    [
      'a numeral behind allOf',
      { n: '1' },
      object({ n: { allOf: [{ minimum: 0 }, { type: 'integer' }] } }),
      '{"n":1}',
      ['n numeral_to_number'],
    ],
    ['a numeral of an enum', { n: '2' }, object({ n: { enum: [1, 2] } }), '{"n":2}', ['n numeral_to_number']],
    [
      'a numeral in the branch that is meant',
      { shape: { kind: 'circle', r: '2' } },
      object({
        shape: {
          oneOf: [
            object({ kind: { const: 'circle' }, r: { type: 'number' } }, { required: ['kind', 'r'] }),
            object({ kind: { const: 'text' }, r: { type: 'string' } }, { required: ['kind', 'r'] }),
          ],
        },
      }),
      '{"shape":{"kind":"circle","r":2}}',
      ['shape.r numeral_to_number'],
    ],
    [
      'a value of a map',
      { m: { a: '1' } },
      object({ m: { type: 'object', additionalProperties: { type: 'integer' } } }),
      '{"m":{"a":1}}',
      ['m.a numeral_to_number'],
    ],
  ])('%s is read in its one way', async (_title, args, parameters, ran, repairs) => {
    expect(await outcome(parameters, args)).toMatchObject({ ran, repairs });
    expect(await outcome(parameters, JSON.stringify(args))).toMatchObject({ ran, repairs });
  });

  test('the digits of other numbers survive a repair beside them', async () => {
    const parameters = object({ id: { type: 'integer' }, n: { type: 'integer' } });
    expect(await outcome(parameters, '{"id": 9007199254740993, "n": "1"}')).toMatchObject({
      ran: '{"id":9007199254740993,"n":1}',
    });
  });

  test('a repair says in words what it did', async () => {
    const tool = makeTool({ parameters: object({ n: { type: 'integer' } }) });
    const result = succeeded(await bench([tool]).call({ arguments: { n: '1' } }));
    expect(result.repairs).toEqual([
      { path: 'n', kind: 'numeral_to_number', message: 'n: the text was read as the number that it spells.' },
    ]);
  });
});

describe('what is ambiguous or wrong', () => {
  const INTEGER = { type: 'integer' };
  test.each<[unknown, JsonSchema]>([
    ...[
      '1.5',
      '0x10',
      '1e999',
      '12 ',
      ' 12',
      '',
      '1e3',
      '+5',
      '00123',
      '-0',
      'NaN',
      'Infinity',
      '1_000',
      '１２',
    ].map((text): [unknown, JsonSchema] => [{ v: text }, INTEGER]),
    [{ v: 1.5 }, INTEGER],
    [{ v: true }, INTEGER],
    [{ v: 'True' }, { type: 'boolean' }],
    [{ v: 'yes' }, { type: 'boolean' }],
    [{ v: 1 }, { type: 'boolean' }],
    [{ v: 5 }, { type: 'string' }],
    [{ v: { a: 1 } }, { type: 'string' }],
    [{ v: 'a' }, { type: 'array', items: { type: 'string' } }],
    [{ v: 'a,b' }, { type: 'array', items: { type: 'string' } }],
    [{ v: '{"a": 1' }, { type: 'object' }],
    [{ v: '{"a": 1, "a": 2}' }, { type: 'object' }],
    [{ v: '{}' }, { type: 'array' }],
    [
      { v: { x: '1' } },
      {
        oneOf: [
          object({ x: INTEGER }, { required: ['x'] }),
          object({ x: { type: 'boolean' } }, { required: ['x'] }),
        ],
        minProperties: 2,
      },
    ],
  ])('%j is refused, not coerced', async (args, schema) => {
    expect(await outcome(object({ v: schema }), args)).toMatchObject({
      ran: undefined,
      code: 'invalid_arguments',
      repairs: [],
    });
  });

  test('null for a required property without default is refused', async () => {
    expect(await outcome(NEEDS_CITY, { city: null })).toMatchObject({
      ran: undefined,
      code: 'invalid_arguments',
    });
  });

  test.each([
    ['{"v": 1e999}', 'too large'],
    ['{"v": 1, "v": 2}', 'given twice'],
    ['{"__proto__": {"x": 1}}', '__proto__'],
    ['{"\\u005f_proto__": 1}', '__proto__'],
    [`{"v": ${'['.repeat(500)}${']'.repeat(500)}}`, 'nested deeper'],
    [{ v: Number.NaN }, 'no form'],
  ])('%j is refused with its reason', async (args, words) => {
    const { ran, code, content } = await outcome(ANY, args);
    expect({ ran, code }).toEqual({ ran: undefined, code: 'invalid_arguments' });
    expect(content).toContain(words);
  });

  test('an object that JSON cannot hold is refused', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(await outcome(ANY, cyclic)).toMatchObject({ ran: undefined, code: 'invalid_arguments' });
  });
});

describe('defaults', () => {
  const parameters = object({
    unit: { type: 'string', default: 'C' },
    none: { type: 'string', default: null },
    deep: object({ n: { type: 'integer', default: 1 } }),
    made: { ...object({ n: { type: 'integer', default: 2 } }), default: {} },
    list: { type: 'array', items: object({ n: { type: 'integer', default: 3 } }) },
  });

  test('are filled in at every depth, and a default that is no value of its schema is not', async () => {
    const { ran, repairs } = await outcome(parameters, '{"deep": {}, "list": [{}, {"n": 9}]}');
    expect(JSON.parse(ran ?? '')).toEqual({
      deep: { n: 1 },
      list: [{ n: 3 }, { n: 9 }],
      unit: 'C',
      made: { n: 2 },
    });
    expect(repairs).toEqual([]);
  });

  test('never replace what was sent', async () => {
    const text = '{"unit":"","deep":{"n":0},"made":{"n":5}}';
    expect((await outcome(parameters, text)).ran).toBe(text);
  });

  test('a default that is itself wrong is left out, and the others are kept', async () => {
    const wrong = { type: 'string', pattern: '^[0-9]+$', default: 'abc' };
    expect(await outcome(object({ code: wrong }), '{}')).toMatchObject({ ran: '{}' });
    const both = object({ code: wrong, unit: { type: 'string', default: 'C' } }, { required: ['unit'] });
    expect(await outcome(both, '{}')).toMatchObject({ ran: '{"unit":"C"}' });
  });
});

describe('a schema that refers to itself', () => {
  const self = { $ref: '#/$defs/self' };
  const hostile: readonly [string, JsonSchema][] = [
    ['in allOf', { allOf: [self, self] }],
    ['in properties with defaults', object({ a: { ...self, default: {} }, b: { ...self, default: {} } })],
    ['in anyOf', { anyOf: [self, self, object({ a: self, b: self })] }],
    [
      'in required properties',
      object(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, self])), {
        required: Array.from({ length: 50 }, (_, index) => `p${index}`),
      }),
    ],
  ];

  test.each(hostile)('%s costs no more than it is worth', (_title, schema) => {
    const parameters = { ...object({ root: self, n: { type: 'integer' } }), $defs: { self: schema } };
    const value = { n: '1', root: { a: { a: { b: { a: { b: {} } } } }, b: { a: {}, b: '1' } } };
    const from = performance.now();
    expect(repairArguments(parameters, value).repairs).toContainEqual({
      path: ['n'],
      kind: 'numeral_to_number',
    });
    expect(applyDefaults(parameters, value).applied.length).toBeLessThanOrEqual(1_000);
    const manifest = {
      ...makeTool({ parameters }).manifest,
      parameters: { ...parameters, required: ['root'] },
    };
    minimalExample(manifest, () => true);
    // Without a bound these take longer than anyone waits.
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});

describe('text that was cut off', () => {
  const whole = '{"city": "Bern", "days": 3, "tags": ["a", "b"]}';

  test('is never run and is called cut, with a finish reason and without', async () => {
    for (let length = 1; length < whole.length; length += 1) {
      for (const finishReason of [undefined, 'length', 'tool_calls', 'stop']) {
        const { ran, code, content } = await outcome(ANY, whole.slice(0, length), finishReason);
        expect({ ran, code }).toEqual({ ran: undefined, code: 'truncated_arguments' });
        expect(content).toContain('cut off');
        expect(content).not.toContain('required');
      }
    }
  });

  test.each(['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens'])(
    'finish reason %s makes empty or broken text cut',
    async (reason) => {
      for (const text of ['', '{"a": }', '"abc"', '12', null]) {
        expect(await outcome(ANY, text, reason)).toMatchObject({
          ran: undefined,
          code: 'truncated_arguments',
        });
      }
    },
  );

  test('a whole object runs even when the model was stopped afterwards', async () => {
    expect(await outcome(NEEDS_CITY, '{"city": "Bern"}', 'length')).toMatchObject({
      ran: '{"city": "Bern"}',
    });
  });

  test('is recognised inside a double encoding', async () => {
    expect(await outcome(ANY, JSON.stringify('{"city": "Be'))).toMatchObject({ code: 'truncated_arguments' });
  });
});

test('malformed text is refused with the place and what was expected there', async () => {
  const { code, content } = await outcome(ANY, "{\n  'city': 'Bern'}");
  expect(code).toBe('malformed_arguments');
  expect(content).toContain('line 2, column 3');
  expect(content).toContain('a key in double quotes');
});

test('a rule beyond JSON Schema is asked last and refuses with its own issues', async () => {
  const tool = {
    ...makeTool(),
    check: async () => [{ path: 'end', keyword: 'refinement', message: 'end is before start' }],
  };
  const result = failed(await bench([tool]).call({ arguments: '{}' }));
  expect(result.error).toMatchObject({ code: 'invalid_arguments', issues: [{ path: 'end' }] });
  expect(result.content).toContain('- end is before start');
});

describe('JSON text inside arguments', () => {
  const parameters = object({ filter: { type: 'object' } });

  test.each([
    ['a number too large to be held', '{"a": 1e999}'],
    ['a key `__proto__`', '{"a": [{"__proto__": {"x": 1}}]}'],
    ['a key twice', '{"a": 1, "a": 2}'],
    ['an end that is missing', '{"a": 1'],
  ])('is not read where it holds %s', async (_what, filter) => {
    expect(await outcome(parameters, { filter })).toMatchObject({
      ran: undefined,
      code: 'invalid_arguments',
    });
  });
});

describe('repairs reach', () => {
  test.each([
    [
      'keys by pattern',
      { type: 'object', patternProperties: { '^x': { type: 'integer' } } },
      { x1: '1', y: '1' },
    ],
    [
      'keys by pattern beside listed ones',
      object({ y: { type: 'integer' } }, { patternProperties: { '^x': { type: 'integer' } } }),
      { x1: '1', y: '1' },
    ],
    [
      'references by the name of their own document',
      {
        $id: 'https://example.test/s',
        $defs: { t: { type: 'integer' } },
        ...object({ x1: { $ref: 'https://example.test/s#/$defs/t' } }),
      },
      { x1: '1', y: '1' },
    ],
  ])('%s', async (_what, parameters, args) => {
    const { ran, repairs } = await outcome(parameters, args);
    expect(JSON.parse(ran ?? 'null')).toMatchObject({ x1: 1 });
    expect(repairs).toContain('x1 numeral_to_number');
  });

  test('what a catch-all schema says, but not where a pattern speaks', async () => {
    const parameters = {
      type: 'object',
      patternProperties: { '^s': { type: 'string' } },
      additionalProperties: { type: 'integer' },
    };
    expect(await outcome(parameters, { s1: '1', n: '1' })).toMatchObject({ ran: '{"s1":"1","n":1}' });
  });
});

test.each<[string, unknown]>([
  ['a Map', new Map([['city', 'Bern']])],
  ['a Set inside', { tags: new Set(['a']) }],
  ['a function inside', { done: () => 1 }],
  ['a symbol inside', { list: [Symbol('x')] }],
])('%s is refused: JSON would lose it without a word', async (_what, args) => {
  expect(await outcome(ANY, args)).toMatchObject({ ran: undefined, code: 'invalid_arguments' });
});

test.each(['length', 'MAX_TOKENS', 'max_output_tokens', 'model_context_window_exceeded'])(
  'no arguments after the finish reason %s are arguments that were cut',
  async (finishReason) => {
    expect(await outcome(ANY, '', finishReason)).toMatchObject({
      ran: undefined,
      code: 'truncated_arguments',
    });
  },
);
