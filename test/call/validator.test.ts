import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../core/call/validator.ts';

async function messages(schema: Record<string, unknown>, value: unknown): Promise<string[]> {
  const compiled = await compileValidator(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.validator.validate(value).map(({ message }) => message);
}

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('an error is a sentence with path, expectation, what came and what is allowed', () => {
  const cases: [string, Record<string, unknown>, unknown, string[]][] = [
    ['a missing key', object({ a: {} }, { required: ['a'] }), {}, ['"a" is missing.']],
    [
      'a wrong type',
      object({ a: { type: 'integer' } }),
      { a: 'x' },
      ['"a" must be an integer; it is the string "x".'],
    ],
    [
      'a nested path',
      object({ list: { type: 'array', items: object({ n: { type: 'number' } }) } }),
      { list: [{ n: 1 }, { n: 'x' }] },
      ['"list[1].n" must be a number; it is the string "x".'],
    ],
    [
      'an unknown value',
      object({ unit: { enum: ['celsius', 'fahrenheit'] } }),
      { unit: 'celcius' },
      ['"unit" must be one of "celsius", "fahrenheit"; it is the string "celcius". Did you mean "celsius"?'],
    ],
    [
      'an unknown key',
      object({ city: {} }, { additionalProperties: false }),
      { citty: 'x' },
      ['"citty" is not a known key. Did you mean "city"?'],
    ],
    [
      'a range',
      object({ n: { type: 'integer', minimum: 1, maximum: 9 } }),
      { n: 12 },
      ['"n" must be at most 9; it is the number 12.'],
    ],
    [
      'a length',
      object({ s: { type: 'string', minLength: 3 } }),
      { s: 'a' },
      ['"s" must be at least 3 characters long; it is the string "a".'],
    ],
    [
      'a format',
      object({ d: { type: 'string', format: 'date' } }),
      { d: 'soon' },
      ['"d" must be a date (2026-01-31); it is the string "soon".'],
    ],
    [
      'an inherited name',
      object({ toString: {} }, { required: ['toString'] }),
      {},
      ['"toString" is missing.'],
    ],
  ];
  it.each(cases)('%s', async (_what, schema, value, expected) => {
    expect(await messages(schema, value)).toEqual(expected);
  });
});

describe('anyOf and oneOf', () => {
  const shapes = {
    anyOf: [
      object({ kind: { const: 'circle' }, radius: { type: 'number' } }, { required: ['kind', 'radius'] }),
      object({ kind: { const: 'square' }, side: { type: 'number' } }, { required: ['kind', 'side'] }),
    ],
  };

  it('is pruned to the branch that a discriminator names', async () => {
    expect(await messages(object({ shape: shapes }), { shape: { kind: 'square' } })).toEqual([
      '"shape.side" is missing.',
    ]);
  });

  it('is pruned to the branch of the right type', async () => {
    const schema = object({ id: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] } });
    expect(await messages(schema, { id: 0 })).toEqual(['"id" must be at least 1; it is the number 0.']);
  });

  it('lists the alternatives where none is meant', async () => {
    const schema = object({ id: { oneOf: [{ type: 'integer' }, { type: 'boolean' }] } });
    expect(await messages(schema, { id: 'x' })).toEqual([
      '"id" must be an integer, or true or false; it is a string.',
    ]);
  });
});

describe('hostile schemas and values', () => {
  it('checks a catastrophic pattern in linear time', async () => {
    const schema = object({ s: { type: 'string', pattern: '^(a|a)*$' } });
    expect(await messages(schema, { s: `${'a'.repeat(50_000)}!` })).toHaveLength(1);
    expect(await messages(schema, { s: 'a'.repeat(50_000) })).toEqual([]);
  });

  it('ends a validation that would take exponential time', async () => {
    const schema = {
      $defs: {
        n: {
          anyOf: [
            object({ a: { $ref: '#/$defs/n' } }, { required: ['a'] }),
            object({ a: { $ref: '#/$defs/n' } }, { required: ['a', 'b'] }),
          ],
        },
      },
      type: 'object',
      properties: { n: { $ref: '#/$defs/n' } },
    };
    let value: Record<string, unknown> = {};
    for (let depth = 0; depth < 40; depth += 1) value = { a: value };
    expect((await messages(schema, { n: value })).length).toBeGreaterThan(0);
  });

  it('takes the same $id twice, and each dialect', async () => {
    for (const $schema of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      for (let time = 0; time < 2; time += 1)
        expect(
          await messages(
            { $schema, $id: 'https://example.com/same', ...object({ a: { type: 'string' } }) },
            { a: 'x' },
          ),
        ).toEqual([]);
    }
  });
});
