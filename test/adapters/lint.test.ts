import { describe, expect, it } from 'vitest';
import { checkSchema } from '../../core/adapters/legal.ts';
import { lintTools } from '../../core/adapters/lint.ts';
import type { JsonSchema } from '../../core/plugin/manifest.ts';
import { manifestOf } from './support.ts';

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('lintTools', () => {
  const problems = lintTools([
    manifestOf('fine', object({ a: { type: 'string' } }, { required: ['a'] })),
    manifestOf('dotted.name', object({})),
    manifestOf('dotted_name', object({})),
    manifestOf('union', object({}, { anyOf: [{ required: ['a'] }] })),
    manifestOf('keys', object({ 'a b': { type: 'string' } })),
    manifestOf('open', object({ map: { type: 'object', additionalProperties: { type: 'string' } } })),
    manifestOf('mute', object({}), { description: '' }),
    manifestOf('long', object({}), { description: 'x'.repeat(1_025) }),
    manifestOf('tuple', object({ pair: { type: 'array', items: [{ type: 'string' }] } })),
    manifestOf('fine', object({})),
  ]);
  const of = (tool: string, target: string | undefined): string[] =>
    problems
      .filter((one) => one.tool === tool && one.target === target)
      .map((one) => `${one.level} ${one.path}: ${one.message}`);

  it('finds nothing wrong with a tool that all targets take', () => {
    expect(problems.filter((one) => one.tool === 'fine').map((one) => one.message)).toEqual([
      'another tool has this name; only the first is exported',
    ]);
  });

  it.each([
    [
      'dotted.name',
      'openai',
      'handled name: OpenAI Chat Completions: this name is refused; it is exported as dotted_name',
    ],
    [
      'dotted.name',
      'gemini',
      'handled name: Gemini: "dotted.name" and "dotted_name" all become dotted_name; each changed one gets a suffix',
    ],
    ['union', 'anthropic', 'handled : Anthropic Messages: anyOf is refused at the root'],
    ['union', 'responses', 'handled : OpenAI Responses: anyOf is refused at the root'],
    ['keys', 'anthropic', 'handled /properties/a b: Anthropic Messages: this property name is refused'],
    [
      'open',
      'openai',
      'warning : not strict: map takes keys that are not listed (additionalProperties or patternProperties)',
    ],
    ['mute', undefined, 'warning description: a tool without a description is called badly or not at all'],
    [
      'tuple',
      'openai',
      'handled /properties/pair: OpenAI Chat Completions: items must be one schema; a tuple is prefixItems',
    ],
  ])('names the target for %s: %s', (tool, target, message) => {
    expect(of(tool, target)).toContain(message);
  });

  it('has no complaint of MCP about what MCP takes', () => {
    expect(of('dotted.name', 'mcp')).toEqual([]);
    expect(of('union', 'mcp')).toEqual([]);
    expect(of('keys', 'mcp')).toEqual([]);
  });

  it('says what becomes of a description that is too long', () => {
    expect(of('long', 'openai')[0]).toContain('more than 1024 characters');
    expect(of('long', 'anthropic')).toEqual([]);
  });

  it('can look at one target alone', () => {
    const targets = new Set(
      lintTools([manifestOf('a.b', object({ 'x y': {} }))], { targets: ['gemini'], strict: false }).map(
        (one) => one.target,
      ),
    );
    expect([...targets]).toEqual(['gemini']);
  });
});

describe('checkSchema', () => {
  it.each<[string, JsonSchema, string]>([
    ['openai', { type: 'object', properties: { a: { type: 'array' } } }, 'an array needs items'],
    [
      'openai',
      { type: 'object', properties: { a: { $ref: '#/$defs/x', description: 'd' } }, $defs: { x: {} } },
      "$ref can't have description beside it",
    ],
    ['openai', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, '#/$defs/none leads nowhere'],
    ['openai', { type: 'object', properties: { a: { type: 'dict' } } }, '"dict" is no JSON Schema type'],
    ['openai', { type: 'string' }, 'the root must be {"type": "object"}'],
    ['openai', { type: 'object' }, 'an object at the root needs properties'],
    [
      'gemini',
      { type: 'OBJECT', properties: { a: { type: 'INTEGER', enum: [1] } } },
      'enum is for non-empty strings only',
    ],
    [
      'gemini',
      { type: 'OBJECT', properties: { a: { type: 'STRING', format: 'uri' } } },
      'the format uri is not supported',
    ],
    [
      'gemini',
      { type: 'OBJECT', properties: { a: { description: 'x', anyOf: [{ type: 'STRING' }] } } },
      'anyOf must stand alone',
    ],
    [
      'gemini',
      { type: 'OBJECT', properties: { a: { type: 'STRING', const: 'x' } } },
      'const is not supported',
    ],
  ])('refuses for %s: %j', (target, schema, message) => {
    const found = checkSchema(schema, target as 'openai'); // cast: the table's first column is a target
    expect(found.map((problem) => problem.message)).toContain(message);
  });

  it.each<[JsonSchema, string]>([
    [{ a: { type: 'string', minLength: 1 } }, 'minLength is not supported'],
    [{ a: { type: 'string', format: 'uri' } }, 'the format uri is not supported'],
    [{ a: { type: 'string', default: 'x' } }, 'default is not supported'],
    [{ a: { oneOf: [{ type: 'string' }] } }, 'oneOf is not supported'],
    [{ a: { type: 'object', properties: {}, required: [] } }, 'additionalProperties must be false'],
    [{ a: {} }, 'a schema needs a type'],
  ])('refuses in strict mode: %j', (properties, message) => {
    const schema = { type: 'object', properties, required: ['a'], additionalProperties: false };
    expect(checkSchema(schema, 'openai', { strict: true }).map((problem) => problem.message)).toContain(
      message,
    );
  });

  it('wants every property required in strict mode', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: [],
      additionalProperties: false,
    };
    expect(checkSchema(schema, 'responses', { strict: true })[0]?.message).toBe('required must list a');
    expect(checkSchema(schema, 'anthropic', { strict: true })).toEqual([]);
  });
});
