import { describe, expect, it } from 'vitest';
import { compileValidator, type Validator } from '../../core/schema/validator.ts';

async function compile(schema: Record<string, unknown>): Promise<Validator> {
  const compiled = await compileValidator(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.validator;
}

async function keywords(schema: Record<string, unknown>, value: unknown): Promise<string[]> {
  return (await compile(schema)).validate(value).map(({ keyword }) => keyword);
}

const DIALECTS = [
  'http://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
];

describe('each dialect has an engine of its own', () => {
  it.each(DIALECTS)('%s', async ($schema) => {
    const schema = { $schema, type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(await keywords(schema, { a: 'x' })).toEqual([]);
    expect(await keywords(schema, {})).toEqual(['required']);
  });

  it('and none is taken for 2020-12, with the keywords of draft-07 that mean something else there', async () => {
    const tuple = { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false };
    expect(await keywords(tuple, ['a', 1])).toEqual([]);
    expect(await keywords(tuple, ['a', 'b'])).toEqual(['type']);
    expect(await keywords(tuple, ['a', 1, 2])).toEqual(['maxItems']);
    expect(await keywords({ dependencies: { a: ['b'] } }, { a: 1 })).toEqual(['dependentRequired']);
  });

  it('and an unknown one is refused by name', async () => {
    expect(await compileValidator({ $schema: 'http://json-schema.org/draft-03/schema#' })).toMatchObject({
      ok: false,
      problems: [{ path: '/$schema', message: expect.stringContaining('draft-03') }],
    });
  });

  it('and the same $id may come again', async () => {
    for (const $schema of [...DIALECTS, ...DIALECTS]) {
      const schema = { $schema, $id: 'https://example.com/same', properties: { a: { $ref: '#' } } };
      expect(await keywords(schema, { a: {} })).toEqual([]);
    }
  });
});

describe('a value', () => {
  it('is never changed: no default filled in, nothing coerced', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { default: 1 } } };
    const value = { a: '3' };
    expect(await keywords(schema, value)).toEqual(['type']);
    expect(value).toEqual({ a: '3' });
  });

  it('has only its own keys', async () => {
    expect(await keywords({ type: 'object', required: ['toString', 'constructor'] }, {})).toEqual([
      'required',
      'required',
    ]);
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    expect(await keywords(closed, JSON.parse('{"__proto__": 1}'))).toEqual(['additionalProperties']);
  });

  it.each([
    ['0.3 is a multiple of 0.1', { multipleOf: 0.1 }, 0.3, []],
    ['0.35 is none', { multipleOf: 0.1 }, 0.35, ['multipleOf']],
    ['5.0 is an integer', { type: 'integer' }, 5.0, []],
    ['an emoji is one character', { type: 'string', maxLength: 1 }, '😀', []],
    ['unknown formats are not checked', { type: 'string', format: 'constructor' }, 'x', []],
    ['known formats are', { type: 'string', format: 'date' }, '2024-02-30', ['format']],
    ['a data: address may be long', { type: 'string', format: 'uri' }, `data:,${'x'.repeat(9_000)}`, []],
    ['a date may not', { type: 'string', format: 'date' }, '1'.repeat(9_000), ['format']],
    [
      'objects are equal in any order of keys',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['uniqueItems'],
    ],
    ['1 and "1" differ', { uniqueItems: true }, [1, '1', true, 'true', null, 'null'], []],
  ] as const)('%s', async (_what, schema, value, expected) => {
    expect(await keywords(schema, value)).toEqual(expected);
  });

  it('with many errors gets a bounded number of issues', async () => {
    const schema = { type: 'array', items: { type: 'integer' } };
    const issues = (await compile(schema)).validate(Array.from({ length: 50_000 }, () => 'x'));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(20);
  });
});

describe('checking ends, whatever the schema and the value', () => {
  it('for a catastrophic pattern', async () => {
    const schema = { properties: { s: { type: 'string', pattern: '^(a|a)*$' } } };
    expect(await keywords(schema, { s: `${'a'.repeat(50_000)}!` })).toEqual(['pattern']);
    expect(await keywords(schema, { s: 'a'.repeat(50_000) })).toEqual([]);
  });

  it('for a recursion that doubles at each level', async () => {
    const node = { $ref: '#/$defs/node' };
    const schema = {
      $defs: {
        node: {
          anyOf: [
            { type: 'object', properties: { next: node }, required: ['a'] },
            { type: 'object', properties: { next: node }, required: ['b'] },
            { type: 'object', properties: { next: node, z: false } },
          ],
        },
      },
      ...node,
    };
    let value: Record<string, unknown> = { z: 1 };
    for (let depth = 0; depth < 60; depth++) value = { next: value };
    expect((await keywords(schema, value)).length).toBeGreaterThan(0);
  });

  it('for references that double without any value', async () => {
    const $defs: Record<string, unknown> = { d0: { type: 'object' } };
    for (let index = 1; index <= 40; index++) {
      const $ref = `#/$defs/d${index - 1}`;
      $defs[`d${index}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(await keywords({ $defs, $ref: '#/$defs/d40' }, {})).toEqual(['limit']);
  });

  it('for a value that is nested very deeply', async () => {
    let value: Record<string, unknown> = {};
    for (let depth = 0; depth < 100_000; depth++) value = { next: value };
    expect(await keywords({ properties: { next: { $ref: '#' } } }, value)).toEqual(['limit']);
  });

  it('for uniqueItems of many objects', async () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ id: index }));
    const validator = await compile({ type: 'array', uniqueItems: true });
    expect(validator.validate(items)).toEqual([]);
    expect(validator.validate([...items, { id: 7 }]).map(({ keyword }) => keyword)).toEqual(['uniqueItems']);
  });

  it('and a value refused for its size is no verdict on the next one', async () => {
    const branches = Array.from({ length: 800 }, (_, index) => ({ const: `v${index}` }));
    const validator = await compile({ type: 'array', items: { anyOf: branches } });
    expect(
      validator.validate(Array.from({ length: 20_000 }, () => 'v799')).map(({ keyword }) => keyword),
    ).toEqual(['limit']);
    expect(validator.validate(['v799'])).toEqual([]);
  });
});

describe('compiling', () => {
  const wide = (properties: number): Record<string, unknown> => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: properties }, (_, index) => [
        `p${index}`,
        { anyOf: [{ type: 'string', minLength: index }, { type: 'null' }] },
      ]),
    ),
  });

  it('a large schema works', async () => {
    expect(await keywords(wide(300), { p7: 'long enough', p9: null })).toEqual([]);
    expect(await keywords(wide(300), { p7: 'short' })).toEqual(['minLength']);
  });

  it('refuses one that is too large', async () => {
    expect(await compileValidator(wide(5_000))).toMatchObject({ ok: false });
  });

  it('reports what it put right', async () => {
    expect(await compileValidator({ type: 'dict' })).toMatchObject({
      ok: true,
      validator: { schema: { type: 'object' } },
      warnings: [{ path: '/type' }],
    });
  });

  it.each([
    ['a back-reference', { pattern: '(a)\\1' }, '/pattern'],
    ['a remote reference', { properties: { a: { $ref: 'https://example.com/' } } }, '/properties/a/$ref'],
    ['a circle of references', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, '/$ref'],
  ])('refuses %s with its path', async (_what, schema, path) => {
    expect(await compileValidator(schema)).toMatchObject({
      ok: false,
      problems: [{ path: expect.any(String) }],
    });
    const compiled = await compileValidator(schema);
    expect(!compiled.ok && compiled.problems.map((problem) => problem.path)).toContain(path);
  });
});
