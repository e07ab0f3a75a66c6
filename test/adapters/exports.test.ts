import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { exportTools } from '../../core/adapters/export.ts';
import { checkSchema } from '../../core/adapters/legal.ts';
import { TARGETS } from '../../core/adapters/targets.ts';
import type { JsonSchema } from '../../core/plugin/manifest.ts';
import { exportOne, manifestOf, roundTrip, schemaIn } from './support.ts';

interface Case {
  readonly title: string;
  readonly parameters: JsonSchema;
  readonly calls: readonly unknown[];
  /** Can it be strict for OpenAI? */
  readonly strict: boolean;
}

const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

const CASES: readonly Case[] = [
  { title: 'no parameters', parameters: object({}), calls: [{}], strict: true },
  {
    title: 'required and optional scalars',
    parameters: object(
      {
        a: { type: 'string', minLength: 2, format: 'uri' },
        b: { type: 'integer', default: 5 },
        c: { type: 'boolean' },
      },
      ['a'],
    ),
    calls: [{ a: 'xy' }, { a: 'xy', b: 1, c: false }],
    strict: true,
  },
  {
    title: 'null in either union order, optional and required',
    parameters: object(
      {
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
        c: { type: ['null', 'string'] },
      },
      ['c'],
    ),
    calls: [{ c: null }, { a: null, b: null, c: 'x' }, { a: 'x', b: 3, c: null }].map((call) => ({
      a: null,
      b: null,
      ...call,
    })),
    strict: true,
  },
  {
    title: 'property names that providers refuse',
    parameters: object(
      {
        'año de nacimiento': { type: 'integer' },
        'a.b': { type: 'string' },
        'x-y': object({ $ref: { type: 'string' } }),
        [`${'k'.repeat(80)}`]: { type: 'string' },
      },
      ['a.b'],
    ),
    calls: [
      { 'a.b': 'q' },
      { 'a.b': 'q', 'año de nacimiento': 1970, 'x-y': { $ref: 'r' }, [`${'k'.repeat(80)}`]: 'long' },
    ],
    strict: true,
  },
  {
    title: 'property names that only differ in what is illegal',
    parameters: object({ 'a b': { type: 'string' }, 'a:b': { type: 'integer' }, a_b: { type: 'boolean' } }),
    calls: [{ 'a b': 'x', 'a:b': 1, a_b: true }, { 'a:b': 2 }],
    strict: true,
  },
  {
    title: 'a union of objects at the root',
    parameters: {
      type: 'object',
      oneOf: [
        {
          properties: { kind: { const: 'circle' }, 'radius (m)': { type: 'number' } },
          required: ['kind', 'radius (m)'],
          additionalProperties: false,
        },
        {
          properties: { kind: { const: 'square' }, side: { type: 'number' }, note: { type: 'string' } },
          required: ['kind', 'side'],
          additionalProperties: false,
        },
      ],
    },
    calls: [
      { kind: 'circle', 'radius (m)': 2 },
      { kind: 'square', side: 3 },
      { kind: 'square', side: 3, note: 'n' },
    ],
    strict: true,
  },
  {
    title: 'at least one of several at the root',
    parameters: {
      ...object({ id: { type: 'string' }, title: { type: 'string' }, body: { type: 'string' } }, ['id']),
      anyOf: [{ required: ['title'] }, { required: ['body'] }],
    },
    calls: [
      { id: '1', title: 't' },
      { id: '1', body: 'b', title: 't' },
    ],
    strict: true,
  },
  {
    title: 'allOf at the root',
    parameters: {
      type: 'object',
      allOf: [{ $ref: '#/$defs/page' }, object({ query: { type: 'string' } }, ['query'])],
      $defs: { page: object({ page: { type: 'integer' } }) },
    },
    calls: [{ query: 'q' }, { query: 'q', page: 2 }],
    strict: true,
  },
  {
    title: 'a condition that narrows a declared property',
    parameters: {
      ...object({ unit: { type: 'string' }, amount: { type: ['integer', 'string'] } }, ['unit']),
      if: { properties: { unit: { const: 'piece' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { amount: { type: 'integer' }, box: { type: 'string' } } },
    },
    calls: [{ unit: 'piece', amount: 2, box: 'b' }, { unit: 'kg', amount: '1.5' }, { unit: 'kg' }],
    strict: true,
  },
  {
    title: 'conditions that narrow what may be anything',
    parameters: {
      ...object({ unit: { type: 'string' }, amount: {}, note: true }, ['unit']),
      if: { properties: { unit: { const: 'piece' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { amount: { type: 'integer' } } },
      dependentSchemas: { amount: { properties: { note: { type: 'string' } } } },
    },
    calls: [
      { unit: 'piece', amount: 2 },
      { unit: 'kg', amount: '1.5', note: 'n' },
      { unit: 'kg', note: 3 },
    ],
    strict: false,
  },
  {
    title: 'a reference with siblings, and definitions by pointer',
    parameters: {
      ...object(
        {
          from: { $ref: '#/definitions/place', description: 'Start.' },
          to: { $ref: '#/definitions/place' },
          via: { type: 'array', items: { $ref: '#/properties/to' } },
        },
        ['from'],
      ),
      definitions: {
        place: object({ 'lat/lon': { type: 'string' }, name: { type: 'string' } }, ['lat/lon']),
      },
    },
    calls: [
      { from: { 'lat/lon': '1,2' } },
      { from: { 'lat/lon': '1', name: 'a' }, to: { 'lat/lon': '2' }, via: [{ 'lat/lon': '3', name: 'b' }] },
    ],
    strict: true,
  },
  {
    title: 'a recursive definition',
    parameters: {
      ...object({ tree: { $ref: '#/$defs/node', description: 'The tree.' } }, ['tree']),
      $defs: {
        node: object(
          {
            'the value': { type: 'integer' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
            next: { $ref: '#/$defs/node' },
          },
          ['the value'],
        ),
      },
    },
    calls: [
      { tree: { 'the value': 1 } },
      { tree: { 'the value': 1, children: [{ 'the value': 2, children: [{ 'the value': 3 }] }] } },
      { tree: { 'the value': 1, next: { 'the value': 2 } } },
    ],
    strict: true,
  },
  {
    title: 'a root that refers to itself',
    parameters: object({ name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#' } } }, [
      'name',
    ]),
    calls: [{ name: 'a' }, { name: 'a', parts: [{ name: 'b', parts: [] }] }],
    strict: true,
  },
  {
    title: 'a nested union with renamed keys on one side',
    parameters: object({
      filters: {
        type: 'array',
        items: {
          anyOf: [
            object({ op: { const: 'eq' }, 'the field': { type: 'string' } }, ['op', 'the field']),
            object({ op: { const: 'not' }, inner: { type: 'string' } }, ['op']),
            { type: 'string' },
          ],
        },
      },
    }),
    calls: [{ filters: [{ op: 'eq', 'the field': 'f' }, { op: 'not' }, 'free'] }, {}],
    strict: true,
  },
  {
    title: 'enum, const and mixed enums',
    parameters: object(
      {
        e: { enum: ['a', 'b'] },
        n: { type: 'integer', enum: [1, 2] },
        c: { const: 'only' },
        m: { enum: ['x', 1, null] },
        empty: { type: 'string', enum: ['', 'y'] },
        b: { const: true },
      },
      ['e'],
    ),
    calls: [
      { e: 'a', m: null },
      { e: 'b', n: 2, c: 'only', m: 1, empty: '', b: true },
    ].map((call) => ({ ...call })),
    strict: true,
  },
  {
    title: 'a map from any key',
    parameters: object({ headers: { type: 'object', additionalProperties: { type: 'string' } } }),
    calls: [{ headers: { 'X-A': 'b' } }, {}],
    strict: false,
  },
  {
    title: 'a map whose values have renamed keys',
    parameters: object({
      byId: { type: 'object', additionalProperties: object({ 'full name': { type: 'string' } }) },
    }),
    calls: [{ byId: { full_name: { 'full name': 'x' }, 'full name': { 'full name': 'y' } } }],
    strict: false,
  },
  {
    title: 'a free-form object',
    parameters: object({ data: { type: 'object' } }),
    calls: [{ data: { a: [1, { b: null }] } }, {}],
    strict: false,
  },
  {
    title: 'a value of any kind',
    parameters: object({ any: {} }),
    calls: [{ any: 1 }, { any: ['x', 2] }, { any: { a: 1 } }],
    strict: false,
  },
  {
    title: 'a tuple',
    parameters: object({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }),
    calls: [{ pair: ['a', 1] }],
    strict: false,
  },
  {
    title: 'several types at once, with their own keywords',
    parameters: object(
      { v: { type: ['string', 'number', 'array'], minLength: 1, minimum: 0, items: { type: 'string' } } },
      ['v'],
    ),
    calls: [{ v: 'a' }, { v: 2 }, { v: ['b'] }],
    strict: true,
  },
  {
    title: 'conditions and dependencies',
    parameters: {
      ...object({ type: { type: 'string' }, card: { type: 'string' } }, ['type']),
      ...Object.fromEntries([
        ['if', { properties: { type: { const: 'x' } } }],
        ['then', { properties: { 'extra field': { type: 'string' } } }],
      ]),
      dependentRequired: { card: ['type'] },
      not: { required: ['nope'] },
    },
    calls: [
      { type: 'x', 'extra field': 'e' },
      { type: 'y', card: '1' },
    ],
    strict: true,
  },
  {
    title: 'a name that is required and not described',
    parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'ghost'] },
    calls: [{ a: 'x', ghost: 1 }],
    strict: false,
  },
  {
    title: 'draft-04 bounds, nullable, and types of nobody',
    parameters: object({
      n: { type: 'number', minimum: 0, exclusiveMinimum: true },
      s: { type: 'string', nullable: true },
      w: { type: 'weird' },
    }),
    calls: [
      { n: 1, s: null, w: 'x' },
      { n: 2, s: 'a', w: 'x' },
    ],
    strict: false,
  },
  {
    title: 'patterns that other engines refuse',
    parameters: object({
      a: { type: 'string', pattern: '^(?<year>\\d{4})$' },
      b: { type: 'string', pattern: '^(?!x)\\p{L}+$' },
      c: { type: 'string', pattern: '^[a-z]+$' },
    }),
    calls: [{ a: '2024', b: 'abc', c: 'abc' }],
    strict: true,
  },
  {
    title: 'an intersection whose parts contradict each other',
    parameters: object({
      x: {
        allOf: [
          object({ t: { type: 'string' }, 'b b': { type: 'string' } }),
          object({ t: { type: 'array', prefixItems: [{ type: 'string' }] } }),
        ],
      },
      y: {
        allOf: [
          { ...object({ ok: { type: 'string' } }), additionalProperties: false },
          object({ é: { type: ['string', 'null'] } }),
        ],
      },
      z: { allOf: [{ type: 'string' }, object({ q: { type: 'string' } }, ['q'])] },
    }),
    calls: [{ x: { 'b b': 'v' }, y: { ok: 'x' } }, {}],
    strict: true,
  },
  {
    title: 'null in two branches of a oneOf',
    parameters: object({ kind: { oneOf: [{ enum: ['x', 1, null] }, { type: ['string', 'null'] }] } }),
    calls: [{}, { kind: 1 }],
    strict: true,
  },
];

describe.each(CASES)('$title', ({ parameters, calls, strict }) => {
  for (const target of TARGETS) {
    for (const asked of [false, true]) {
      const mode = asked ? 'strict' : 'plain';
      it(`exports to a schema that ${target} takes (${mode})`, () => {
        const { schema, isStrict } = exportOne(parameters, target, asked);
        if (schema !== undefined) expect(checkSchema(schema, target, { strict: isStrict })).toEqual([]);
      });

      it.each(calls)(`survives the trip to ${target} and back (${mode}): %j`, (call) => {
        const trip = roundTrip(manifestOf('tool', parameters), target, asked, call);
        expect(trip.accepted, JSON.stringify(trip.sent)).toBe(true);
        expect(trip.objectBack).toEqual(call);
        expect(trip.textBack).toEqual(call);
      });
    }
  }

  it('is strict for OpenAI where it can be, and says why where it can not', () => {
    const { isStrict, notes } = exportOne(parameters, 'openai', true);
    expect(isStrict).toBe(strict);
    const reasons = notes.filter((note) => note.kind === 'not_strict');
    expect(reasons).toHaveLength(strict ? 0 : 1);
    if (!strict) expect(reasons[0]?.message).toMatch(/^not strict: \S+ (takes|is|has)/);
  });

  it('has a strict form that the openai package itself would not change', () => {
    const { schema, isStrict } = exportOne(parameters, 'openai', true);
    if (isStrict && schema !== undefined) expect(toStrictJsonSchema(schema)).toEqual(schema);
  });
});

describe('the words of an export', () => {
  it('move what a target refuses into the description', () => {
    const parameters = object({
      u: { type: 'string', description: 'The page', format: 'uri', minLength: 3, default: 'x' },
    });
    const strict = exportOne(parameters, 'openai', true).schema;
    const text = 'The page. Format: uri. At least 3 characters. Default: "x".';
    expect(strict?.properties).toEqual({ u: { type: ['string', 'null'], description: text } });
    const plain = exportOne(parameters, 'openai').schema;
    expect(plain?.properties).toEqual({
      u: { type: 'string', description: 'The page', format: 'uri', minLength: 3, default: 'x' },
    });
  });

  it('name the original of a renamed property', () => {
    const { schema, notes } = exportOne(object({ año: { type: 'integer' } }), 'anthropic');
    expect(schema?.properties).toEqual({ ano: { type: 'integer', description: 'Original key: año' } });
    expect(notes).toContainEqual({
      tool: 'tool',
      kind: 'renamed_property',
      message: 'año is exported as ano',
    });
  });

  it('tell the forms of a union that was hoisted', () => {
    const parameters: JsonSchema = {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'a' }, x: { type: 'string' } }, ['kind']),
        object({ kind: { const: 'b' } }, ['kind']),
      ],
    };
    const { schema } = exportOne(parameters, 'openai');
    expect(schema?.description).toBe(
      'Give exactly one of these forms: (1) kind="a", x (optional); (2) kind="b".',
    );
    expect(schema?.properties).toMatchObject({ kind: { enum: ['a', 'b'] } });
  });

  it('go on in the schema where the description of a tool is too long for OpenAI', () => {
    const description = `${'A sentence of words. '.repeat(80)}The end.`;
    const { tools } = exportTools([manifestOf('long', object({}), { description })], 'openai');
    const form = tools[0]?.function;
    expect(form?.description.length).toBeLessThanOrEqual(1_024);
    const whole = `${form?.description} ${form?.parameters.description}`;
    expect(whole).toBe(description);
    expect(
      exportTools([manifestOf('long', object({}), { description })], 'anthropic').tools[0]?.description,
    ).toBe(description);
  });
});

describe('arguments on the way back', () => {
  const parameters = object({
    n: { type: 'integer' },
    'a b': { type: 'string' },
    list: { type: 'array', items: object({ c: { type: 'string' } }) },
  });
  const { mapping } = exportTools([manifestOf('t', parameters)], 'openai', { strict: true });

  it('keep the digits of a big integer', () => {
    const text = '{"n":12345678901234567890,"a_b":null,"list":null}';
    expect(mapping.restore('t', text).arguments).toBe('{"n":12345678901234567890}');
  });

  it('stay byte for byte where nothing was synthetic', () => {
    const text = '{ "n" : 1.0 , "list":[ ] }';
    expect(mapping.restore('t', text).arguments).toBe(text);
  });

  it.each(['', '   ', '{"n": 1', 'null', '5', '"x"', '[1]'])(
    'hand broken or odd text through untouched: %j',
    (text) => {
      expect(mapping.restore('t', text).arguments).toBe(text);
    },
  );

  it('drop nulls deep inside lists', () => {
    expect(mapping.restore('t', { n: null, a_b: 'x', list: [{ c: null }, { c: 'y' }] }).arguments).toEqual({
      'a b': 'x',
      list: [{}, { c: 'y' }],
    });
  });

  it('keep a key named __proto__ a key', () => {
    const restored = mapping.restore('t', '{"n":null,"__proto__":{"polluted":1}}').arguments;
    expect(restored).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('leave nulls of a plain export to the call pipeline', () => {
    const plain = exportTools([manifestOf('t', object({ n: { type: 'integer' } }))], 'openai').mapping;
    expect(plain.restore('t', { n: null }).arguments).toEqual({ n: null });
  });

  it('hand an unknown name through, for the host to answer', () => {
    expect(mapping.restore('nope', '{}')).toEqual({ name: 'nope', arguments: '{}' });
  });
});

describe('hostile schemas', () => {
  it('do not blow up where references double at each level', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `d${level}`,
        level === 39
          ? { type: 'string' }
          : object({
              a: { $ref: `#/$defs/d${level + 1}` },
              b: { $ref: `#/$defs/d${level + 1}`, description: 'x' },
            }),
      ]),
    );
    const parameters: JsonSchema = { ...object({ root: { $ref: '#/$defs/d0' } }), $defs };
    for (const target of TARGETS) {
      const { schema } = exportOne(parameters, target, true);
      expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
    }
  });

  it('do not hang where unions of unions meet arguments that fit none of them', () => {
    let node: JsonSchema = { type: 'string' };
    for (let level = 0; level < 12; level += 1) {
      node = object({
        'the inner': {
          anyOf: Array.from({ length: 6 }, (_, branch) => ({
            ...object({ 'the inner': node, [`k ${branch}`]: { type: 'string' } }, [`k ${branch}`]),
          })),
        },
      });
    }
    let value: unknown = 5;
    for (let level = 0; level < 24; level += 1) value = { the_inner: value };
    const { mapping } = exportTools([manifestOf('t', node)], 'openai');
    expect(JSON.stringify(mapping.restore('t', value).arguments)).toContain('the inner');
  });

  it('survive references in a circle and references to nowhere', () => {
    const parameters: JsonSchema = {
      ...object({
        a: { $ref: '#/$defs/x' },
        b: { $ref: '#/$defs/none' },
        c: { $ref: 'https://example.com/schema.json' },
      }),
      $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } },
    };
    for (const target of TARGETS) {
      const { schema, notes } = exportOne(parameters, target);
      expect(schema).toBeDefined();
      expect(notes.some((note) => note.message.includes('leads nowhere'))).toBe(true);
    }
  });
});

describe('a list of tools', () => {
  it('gives the same bytes for the same list', () => {
    const list = [manifestOf('b', object({ x: { type: 'string' } })), manifestOf('a.b', object({}))];
    for (const target of TARGETS) {
      expect(JSON.stringify(exportTools(list, target, { strict: true }).tools)).toBe(
        JSON.stringify(exportTools(list, target, { strict: true }).tools),
      );
    }
  });

  it('leaves a second tool of one name out, and says so', () => {
    const exported = exportTools([manifestOf('a', object({})), manifestOf('a', object({}))], 'mcp');
    expect(exported.tools).toHaveLength(1);
    expect(exported.notes).toContainEqual(expect.objectContaining({ tool: 'a', kind: 'duplicate' }));
  });

  it('keeps within what Anthropic compiles for one request, and falls back tool by tool', () => {
    const parameters = object(
      Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`p${index}`, { type: 'string' }])),
    );
    const list = Array.from({ length: 8 }, (_, index) => manifestOf(`t${index}`, parameters));
    const { tools, notes } = exportTools(list, 'anthropic', { strict: true });
    expect(tools.map((tool) => tool.strict === true)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(notes.filter((note) => note.kind === 'not_strict').map((note) => note.tool)).toEqual([
      't4',
      't5',
      't6',
      't7',
    ]);
  });

  it('puts all of Gemini in one entry, and leaves the parameters of a tool without any out', () => {
    const { tools } = exportTools(
      [manifestOf('a', object({})), manifestOf('b', object({ x: { type: 'string' } }))],
      'gemini',
    );
    expect(tools).toEqual([
      {
        functionDeclarations: [
          { name: 'a', description: 'Does a.' },
          {
            name: 'b',
            description: 'Does b.',
            parameters: { type: 'OBJECT', properties: { x: { type: 'STRING' } } },
          },
        ],
      },
    ]);
    expect(exportTools([], 'gemini').tools).toEqual([]);
  });

  it('says so where a target takes fewer tools', () => {
    const list = Array.from({ length: 129 }, (_, index) => manifestOf(`t${index}`, object({})));
    expect(exportTools(list, 'openai').notes).toContainEqual(
      expect.objectContaining({ kind: 'too_many_tools' }),
    );
  });

  it('carries annotations, title and returns over to MCP', () => {
    const manifest = manifestOf('a', object({}), {
      title: 'A',
      annotations: { readOnly: true, openWorld: false },
      returns: object({ ok: { type: 'boolean' } }),
    });
    expect(exportTools([manifest], 'mcp').tools[0]).toEqual({
      name: 'a',
      title: 'A',
      description: 'Does a.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: [] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
  });

  it('never touches the manifest', () => {
    const manifest = manifestOf('a', object({ 'x y': { type: 'string', default: 'q' } }));
    const before = JSON.stringify(manifest);
    for (const target of TARGETS) exportTools([manifest], target, { strict: true });
    expect(JSON.stringify(manifest)).toBe(before);
    expect(schemaIn('mcp', exportTools([manifest], 'mcp').tools[0])?.properties).toEqual({
      'x y': { type: 'string', default: 'q' },
    });
  });
});
