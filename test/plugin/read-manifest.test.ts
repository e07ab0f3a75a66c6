import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import { MAX_SCHEMA_BYTES, readManifest } from '../../core/plugin/read-manifest.ts';
import editorSchema from '../../schemas/plugin.schema.json' with { type: 'json' };
import configSchema from '../../schemas/registry.config.schema.json' with { type: 'json' };

function read(value: unknown) {
  return readManifest(typeof value === 'string' ? value : JSON.stringify(value), { name: 'fallback' });
}

const PARAMETERS = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

describe('the forms in which people have their tools', () => {
  const forms: Record<string, unknown> = {
    'our own': { name: 't', description: 'd', parameters: PARAMETERS },
    'OpenAI Chat': {
      type: 'function',
      function: { name: 't', description: 'd', parameters: PARAMETERS, strict: true },
    },
    'OpenAI Responses': {
      type: 'function',
      name: 't',
      description: 'd',
      parameters: PARAMETERS,
      strict: false,
    },
    MCP: { name: 't', description: 'd', inputSchema: PARAMETERS, annotations: { readOnlyHint: true } },
    Anthropic: { name: 't', description: 'd', input_schema: PARAMETERS },
  };

  it.each(Object.entries(forms))('reads the form of %s', (_form, value) => {
    expect(read(value)).toMatchObject({
      ok: true,
      manifest: { name: 't', description: 'd', parameters: PARAMETERS },
    });
  });

  it('reads a bare JSON Schema, under the name of the directory', () => {
    expect(read({ ...PARAMETERS, description: 'd' })).toMatchObject({
      ok: true,
      manifest: { name: 'fallback', description: 'd', parameters: PARAMETERS },
    });
  });

  it('keeps the hints of MCP as annotations and its output schema as returns', () => {
    const value = {
      name: 't',
      inputSchema: PARAMETERS,
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, title: 'T' },
    };
    expect(read(value)).toMatchObject({
      ok: true,
      manifest: { title: 'T', annotations: { readOnly: true }, returns: { type: 'object' } },
    });
  });
});

describe('quirks of the wild are put right with a warning that names the path', () => {
  const quirks: [string, unknown, string][] = [
    ['the type "dict"', { type: 'dict', properties: {} }, '/parameters/type'],
    [
      'the type "float"',
      { type: 'object', properties: { a: { type: 'float' } } },
      '/parameters/properties/a/type',
    ],
    [
      'the type "tuple"',
      { type: 'object', properties: { a: { type: 'tuple' } } },
      '/parameters/properties/a/type',
    ],
    [
      'the type "any"',
      { type: 'object', properties: { a: { type: 'any' } } },
      '/parameters/properties/a/type',
    ],
    [
      'a type in capitals',
      { type: 'object', properties: { a: { type: 'String' } } },
      '/parameters/properties/a/type',
    ],
    [
      'the type "HashMap"',
      { type: 'object', properties: { a: { type: 'HashMap' } } },
      '/parameters/properties/a/type',
    ],
    ['an empty type', { type: 'object', properties: { a: { type: '' } } }, '/parameters/properties/a/type'],
    [
      'required inside a property',
      { type: 'object', properties: { a: { type: 'string', required: true } } },
      '/parameters/properties/a/required',
    ],
    ['parameters that are a list', [{ name: 'a', type: 'string' }], '/parameters'],
    ['no parameters', undefined, '/parameters'],
  ];

  it.each(quirks)('%s', (_quirk, parameters, path) => {
    const reading = read({
      name: 't',
      description: 'd',
      ...(parameters === undefined ? {} : { parameters }),
    });
    expect(reading).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([expect.objectContaining({ path })]),
    });
  });

  it('accepts dotted names', () => {
    expect(read({ name: 'math.add', description: 'd', parameters: PARAMETERS })).toMatchObject({
      ok: true,
      manifest: { name: 'math.add' },
    });
  });
});

describe('what is wrong is refused with its path, all of it at once', () => {
  const wrong: [string, unknown, string][] = [
    ['an empty file', ' ', ''],
    ['half a file', '{"name": "t", "parameters": {', ''],
    ['a list', '[]', ''],
    ['too large a file', `{"description": "${'x'.repeat(MAX_SCHEMA_BYTES)}"}`, ''],
    ['deep nesting', `{"parameters":${'['.repeat(100_000)}`, ''],
    ['a prototype', '{"parameters": {"properties": {"__proto__": {}}}}', '/parameters/properties/__proto__'],
    [
      'an unknown dialect',
      { description: 'd', parameters: { $schema: 'https://example.com/x', type: 'object' } },
      '/parameters/$schema',
    ],
    [
      'a remote reference',
      { description: 'd', parameters: { properties: { a: { $ref: 'https://example.com/x' } } } },
      '/parameters/properties/a/$ref',
    ],
    [
      'a limit below one',
      { description: 'd', parameters: PARAMETERS, limits: { cpuMs: 0 } },
      '/limits/cpuMs',
    ],
    ['an unknown limit', { description: 'd', parameters: PARAMETERS, limits: { cpu: 1 } }, '/limits/cpu'],
    ['a slip in a key', { description: 'd', parameters: PARAMETERS, permisions: {} }, '/permisions'],
    ['an unknown state', { description: 'd', parameters: PARAMETERS, state: 'eternal' }, '/state'],
  ];

  it.each(wrong)('%s', (_what, value, path) => {
    expect(read(value)).toMatchObject({
      ok: false,
      problems: [expect.objectContaining({ path, message: expect.stringMatching(/\w{3}/) })],
    });
  });

  it('tells several problems in one go', () => {
    const reading = read({ description: 5, parameters: PARAMETERS, state: 'eternal', limits: { cpuMs: -1 } });
    expect(reading.ok ? [] : reading.problems.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/description', '/state', '/limits/cpuMs']),
    );
  });
});

describe('the schema for editors', () => {
  const accepts = new Ajv({ strict: false })
    .addSchema(configSchema, 'registry.config.schema.json')
    .compile(editorSchema);

  it('and the reader agree on what is right and what is wrong', () => {
    const base = { name: 't', description: 'd', parameters: PARAMETERS };
    const own: [boolean, Record<string, unknown>][] = [
      [true, {}],
      [true, { $schema: '../schema.schema.json', title: 'T', returns: { type: 'string' }, tags: ['a'] }],
      [true, { examples: [{ arguments: { a: 'x' } }, { arguments: { a: 'y' }, result: null }] }],
      [true, { annotations: { readOnly: true }, state: 'session', approval: 'always', limits: { cpuMs: 5 } }],
      [true, { permissions: { net: ['GET https://example.com/*'], read: ['./data/**'], storage: '1 MB' } }],
      [false, { limits: { cpuMs: 0 } }],
      [false, { limits: { cpuMs: 1.5 } }],
      [false, { limits: { cpu: 1 } }],
      [false, { limits: [] }],
      [false, { state: 'eternal' }],
      [false, { approval: true, tags: [] }],
      [false, { permissions: { net: 'https://example.com' } }],
      [false, { permissions: { network: [] } }],
      [false, { permissions: { storage: 'much' } }],
      [false, { permissions: { secrets: { KEY: { header: 'X' } } } }],
      [false, { annotations: { readonly: true }, tags: [] }],
      [false, { annotations: { readOnly: 'yes' }, tags: [] }],
      [false, { examples: [{ args: {} }] }],
      [false, { examples: [{ arguments: {}, results: 1 }] }],
      [false, { tags: [1] }],
      [false, { tags: [], somethingElse: 1 }],
    ];
    for (const [right, keys] of own) {
      const value = { ...base, ...keys };
      expect([keys, accepts(value)]).toEqual([keys, right]);
      expect([keys, read(value).ok]).toEqual([keys, right]);
    }
  });

  it('names the same limits', () => {
    expect(Object.keys(configSchema.definitions.limits.properties)).toEqual(Object.keys(DEFAULT_LIMITS));
  });
});

describe('a file that is not one tool', () => {
  it.each([
    ['a half-written file', '{\n  "name": "t",\n  "parameters": {"type": ', { line: 3, column: 26 }],
    ['a key given twice', '{"name": "t",\n "name": "u"}', { line: 2, column: 2 }],
    ['a trailing comma', '{"name": "t",}', { line: 1 }],
  ])('%s is refused with its line', (_what, text, place) => {
    expect(readManifest(text, { name: 'x' })).toMatchObject({ ok: false, problems: [place] });
  });

  it.each([['[]'], ['{"tools": []}'], ['{"functionDeclarations": [{}]}']])(
    '%s is told to be split',
    (text) => {
      expect(readManifest(text, { name: 'x' })).toMatchObject({
        ok: false,
        problems: [{ message: expect.stringContaining('directory of its own') }],
      });
    },
  );
});
