import { describe, expect, it } from 'vitest';
import { Budget } from '../../core/schema/budget.ts';
import { compileSchema } from '../../core/schema/engine.ts';
import { normaliseSchema } from '../../core/schema/normalise.ts';
import { compileValidator } from '../../core/schema/validator.ts';
import quirks from '../fixtures/schemas/quirks.json' with { type: 'json' };
import refused from '../fixtures/schemas/refused.json' with { type: 'json' };

describe('a quirk is put right, with a warning that names its path', () => {
  it.each(quirks)('$quirk', async ({ parameters, path, reads }) => {
    const reading = normaliseSchema(parameters, { root: 'object', at: '/parameters' });
    expect(reading).toMatchObject({ ok: true, schema: reads });
    if (!reading.ok) return;
    expect(reading.schema).toEqual(reads);
    expect(reading.warnings.map((warning) => warning.path)).toContain(`/parameters${path}`);
    for (const { message } of reading.warnings) expect(message).toMatch(/\w{2} \w/);
    expect(await compileValidator(reading.schema)).toMatchObject({ ok: true });
  });

  it('and reading the result again changes nothing more', () => {
    for (const { parameters } of quirks) {
      const first = normaliseSchema(parameters, { root: 'object' });
      const second = normaliseSchema(first.ok && first.schema, { root: 'object' });
      expect(second.ok && second.schema).toEqual(first.ok && first.schema);
    }
  });
});

describe('what has no one meaning is refused, with its path and the reason', () => {
  it.each(refused)('$wrong', ({ parameters, path, message }) => {
    const reading = normaliseSchema(parameters, { root: 'object', at: '/parameters' });
    expect(reading).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining(message) }] });
    if (reading.ok || path === null) return;
    expect(reading.problems[0]?.path).toBe(`/parameters${path}`);
  });

  it('and all of it at once', () => {
    const properties = { a: { minLength: -1 }, b: { pattern: '(' }, c: { type: 3 } };
    const reading = normaliseSchema({ type: 'object', properties }, { root: 'object' });
    expect(!reading.ok && reading.problems.map(({ path }) => path)).toEqual([
      '/properties/a/minLength',
      '/properties/b/pattern',
      '/properties/c/type',
    ]);
  });
});

describe('an untrusted schema is bounded', () => {
  it('in depth', () => {
    let schema: unknown = { type: 'string' };
    for (let depth = 0; depth < 50_000; depth++) schema = { items: schema };
    expect(normaliseSchema({ type: 'object', properties: { a: schema } }, { root: 'object' })).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('deeper') }],
    });
  });

  it('in number', () => {
    const schema = { type: 'object', enum: Array.from({ length: 30_000 }, (_, index) => index) };
    expect(normaliseSchema(schema, { root: 'any' })).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('5,000') }],
    });
  });

  it('where it contains itself', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema.properties = { a: schema };
    expect(normaliseSchema(schema, { root: 'object' }).ok).toBe(false);
  });

  it.each([
    ['__proto__', '{"properties": {"__proto__": {"type": "string"}}}', '/properties/__proto__'],
    [
      'constructor.prototype',
      '{"properties": {"constructor": {"prototype": {}}}}',
      '/properties/constructor',
    ],
  ])('and can’t reach for a prototype by %s', (_key, json, path) => {
    expect(normaliseSchema(JSON.parse(json), { root: 'object' })).toMatchObject({
      ok: false,
      problems: [{ path }],
    });
  });

  it('but may name properties as Object’s own are named', async () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { type: 'string' } },
    };
    const compiled = await compileValidator(schema);
    expect(compiled.ok && compiled.validator.validate({})).toEqual([]);
    expect(compiled.ok && compiled.validator.validate({ constructor: 1 })).toHaveLength(1);
  });
});

describe('references within a schema', () => {
  it.each([
    ['a pointer', { $defs: { x: { type: 'string' } }, properties: { a: { $ref: '#/$defs/x' } } }],
    ['an escaped pointer', { $defs: { 'x/y': {} }, properties: { a: { $ref: '#/$defs/x~1y' } } }],
    ['a percent-encoded pointer', { $defs: { 'x y': {} }, properties: { a: { $ref: '#/$defs/x%20y' } } }],
    ['an anchor', { $defs: { x: { $anchor: 'here' } }, properties: { a: { $ref: '#here' } } }],
    ['the root', { properties: { a: { $ref: '#' } } }],
    [
      'an $id',
      {
        $defs: { x: { $id: 'https://example.com/x' } },
        properties: { a: { $ref: 'https://example.com/x' } },
      },
    ],
    [
      'a relative $id',
      { $id: 'https://example.com/root', $defs: { x: { $id: 'x' } }, properties: { a: { $ref: 'x' } } },
    ],
    ['a property', { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } }],
  ])('by %s are followed', async (_kind, schema) => {
    const reading = normaliseSchema({ type: 'object', ...schema }, { root: 'object' });
    expect(reading).toMatchObject({ ok: true, warnings: [] });
    expect(await compileValidator({ type: 'object', ...schema })).toMatchObject({ ok: true });
  });

  it('within data are none', () => {
    const schema = {
      type: 'object',
      properties: { a: { const: { $ref: 'nowhere' }, default: { $ref: 'x' } } },
    };
    expect(normaliseSchema(schema, { root: 'object' }).ok).toBe(true);
  });
});

const JUNK: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, '', 'x', 'string', '#/a', '^(', [], ['a'], [1], [{}], {}, { a: 1 }],
  ...[{ type: 'string' }, [{ type: 'object' }], { $ref: '#' }, { not: {} }, ['string', 'nope'], 1e21],
];
const KEYWORDS =
  'type enum const properties required items anyOf oneOf allOf not if then else pattern format minimum exclusiveMinimum multipleOf minLength maxItems uniqueItems contains minContains additionalProperties patternProperties propertyNames dependencies dependentRequired dependentSchemas $ref $defs $id $anchor $schema $async nullable discriminator id prefixItems additionalItems unevaluatedProperties unevaluatedItems $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor default contentSchema $vocabulary'.split(
    ' ',
  );

it('whatever value a keyword has, the schema is refused with a path or compiles in its engine', () => {
  const dialects = [
    undefined,
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ];
  let compiled = 0;
  for (const keyword of KEYWORDS) {
    for (const value of JUNK) {
      for (const $schema of dialects) {
        const inner = { type: ['string', 'object', 'array'], [keyword]: value };
        const root = { ...($schema && { $schema }), type: 'object', properties: { a: inner } };
        const reading = normaliseSchema(root, { root: 'object' });
        if (!reading.ok) {
          expect(reading.problems.map(({ path }) => path).join()).toContain('/properties/a');
          continue;
        }
        for (const mode of ['verdict', 'details'] as const) {
          expect(compileSchema(reading.schema, reading.dialect, mode, new Budget())).toBeTypeOf('function');
        }
        compiled++;
      }
    }
  }
  expect(compiled).toBeGreaterThan(1_000);
});

it('a hostile schema gets a bounded list of problems', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: 5 }]),
  );
  const reading = normaliseSchema({ type: 'object', properties }, { root: 'object' });
  expect(reading.ok || reading.problems.length).toBeLessThanOrEqual(101);
});
