import type { JsonSchema } from '../plugin/manifest.ts';
import {
  canonical,
  fromEntries,
  isObject,
  listOf,
  type MutableSchema,
  mapOf,
  omit,
  requiredOf,
  typeAllows,
  typeOfValue,
  typesOf,
} from './schema-node.ts';
import { addText, keywordText } from './schema-text.ts';

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};
/** 64-bit integers are strings in the JSON form of a protocol buffer. */
const INT64 = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']);

/**
 * A converted schema (no references, no `allOf`, no `oneOf`) in Gemini's own form: one upper-case type a node,
 * `nullable`, string enums, and `anyOf` with nothing beside it.
 */
export function toGeminiSchema(raw: unknown): JsonSchema {
  const schema = canonical(raw);
  if (Array.isArray(schema.anyOf)) return union(schema, schema.anyOf);
  const types = typesOf(schema) ?? typesOfValues(schema);
  const named = types.filter((type) => type !== 'null');
  const nullable = types.includes('null') || listOf(schema.enum).includes(null);
  if (types.length === 0) return anything(schema.description);
  if (named.length === 0)
    return { type: 'STRING', nullable: true, description: addText(schema.description, ['Always null.']) };
  if (named.length > 1) {
    const branches = named.map((type) => single(narrowed(schema, type), type, false));
    return withoutSiblings(branches, nullable, schema.description);
  }
  return single(schema, named[0] ?? 'string', nullable);
}

function typesOfValues(schema: JsonSchema): readonly string[] {
  const values = 'const' in schema ? [schema.const] : listOf(schema.enum);
  const types = [...new Set(values.map(typeOfValue))];
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}

function narrowed(schema: JsonSchema, type: string): JsonSchema {
  const plain = omit(schema, 'description', 'title', 'enum');
  if (!Array.isArray(schema.enum)) return plain;
  const values = schema.enum.filter((value) => typeAllows(type, value));
  return values.length > 0 ? { ...plain, enum: values } : plain;
}

function union(schema: JsonSchema, branches: readonly unknown[]): JsonSchema {
  const converted = branches
    .filter((branch) => typesOf(canonical(branch))?.join() !== 'null')
    .map(toGeminiSchema);
  return withoutSiblings(converted.flatMap(inner), converted.length < branches.length, schema.description);
}

const inner = (schema: JsonSchema): readonly JsonSchema[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [schema];

/** Vertex takes nothing beside `anyOf`, so the description and `nullable` ride on the first branch. */
function withoutSiblings(
  branches: readonly JsonSchema[],
  nullable: boolean,
  description: unknown,
): JsonSchema {
  const [first, ...others] = branches;
  if (first === undefined) return { type: 'STRING', nullable: true };
  const text = addText(description, [typeof first.description === 'string' ? first.description : '']);
  const leading: MutableSchema = fromEntries(Object.entries(first));
  if (text !== undefined) leading.description = text;
  if (nullable) leading.nullable = true;
  return others.length === 0 ? leading : { anyOf: [leading, ...others] };
}

/** Each node must name a type: "anything" is each of them, one level of list deep. */
function anything(description: unknown): JsonSchema {
  const flat = ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type): JsonSchema => ({ type }));
  return withoutSiblings([...flat, { type: 'ARRAY', items: { anyOf: flat } }], true, description);
}

function single(schema: JsonSchema, type: string, nullable: boolean): JsonSchema {
  const result: MutableSchema = { type: type.toUpperCase() };
  const texts: string[] = [];
  if (typeof schema.title === 'string') result.title = schema.title;
  if (nullable) result.nullable = true;
  if (typeof schema.format === 'string') {
    if (FORMATS[type]?.includes(schema.format)) result.format = schema.format;
    else texts.push(keywordText('format', schema.format));
  }
  for (const keyword of new Set(Object.values(KEYWORDS).flat())) {
    if (!(keyword in schema)) continue;
    if (KEYWORDS[type]?.includes(keyword))
      result[keyword] = INT64.has(keyword) ? String(schema[keyword]) : schema[keyword];
  }
  addValues(result, schema, type, texts);
  if (type === 'array') result.items = toGeminiSchema(schema.items === false ? {} : schema.items);
  if (type === 'object') addProperties(result, schema);
  const description = addText(schema.description, texts);
  if (description !== undefined) result.description = description;
  return result;
}

function addValues(result: MutableSchema, schema: JsonSchema, type: string, texts: string[]): void {
  const values = ('const' in schema ? [schema.const] : listOf(schema.enum)).filter((value) => value !== null);
  if (values.length === 0) return;
  const plain = type === 'string' && values.every((value) => typeof value === 'string' && value !== '');
  if (plain) result.enum = values;
  else texts.push(keywordText('enum', values));
}

function addProperties(result: MutableSchema, schema: JsonSchema): void {
  const properties = Object.entries(mapOf(schema.properties));
  if (properties.length === 0) return;
  result.properties = fromEntries(properties.map(([name, node]) => [name, toGeminiSchema(node)]));
  const required = requiredOf(schema).filter((name) => Object.hasOwn(mapOf(schema.properties), name));
  if (required.length > 0) result.required = required;
}
