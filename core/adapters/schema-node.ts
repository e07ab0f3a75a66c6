import type { JsonSchema } from '../plugin/manifest.ts';

export type MutableSchema = { [keyword: string]: unknown };

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined; // cast: own property checked
}

/** Copies entries without ever reaching the inherited `__proto__` setter. */
export function fromEntries<Value>(entries: Iterable<readonly [string, Value]>): { [key: string]: Value } {
  return Object.fromEntries(entries);
}

export function omit(schema: JsonSchema, ...keywords: readonly string[]): MutableSchema {
  return fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, index) => sameJson(value, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

export function typesOf(schema: JsonSchema): readonly string[] | undefined {
  const type = schema.type;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type : undefined;
}

/** JSON Schema's name for the type of a value. */
export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function typeAllows(type: string, value: unknown): boolean {
  const actual = typeOfValue(value);
  return type === actual || (type === 'number' && actual === 'integer');
}

const cache = new WeakMap<object, JsonSchema>();

/**
 * One node in one dialect (2020-12): booleans become objects, tuples `prefixItems`, `nullable` a null type,
 * draft-04's boolean bounds numbers; what is not a schema at all becomes "anything". Children are left as they are.
 */
export function canonical(node: unknown): JsonSchema {
  if (node === false) return { not: {} };
  if (!isObject(node)) return {};
  const known = cache.get(node);
  if (known !== undefined) return known;
  const result: MutableSchema = fromEntries(Object.entries(node));
  tidyType(result);
  tidyItems(result);
  tidyBounds(result);
  tidyShapes(result);
  cache.set(node, result);
  cache.set(result, result);
  return result;
}

function tidyType(schema: MutableSchema): void {
  const given = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = [...new Set(given.filter((type) => typeof type === 'string' && TYPES.has(type)))];
  if (schema.nullable === true && types.length > 0 && !types.includes('null')) types.push('null');
  if (schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) {
    schema.enum = [...schema.enum, null];
  }
  delete schema.nullable;
  if (types.length === 0) delete schema.type;
  else schema.type = types.length === 1 ? types[0] : types;
}

function tidyItems(schema: MutableSchema): void {
  if (Array.isArray(schema.items)) {
    schema.prefixItems = schema.items;
    if (schema.additionalItems === undefined) delete schema.items;
    else schema.items = schema.additionalItems;
  }
  delete schema.additionalItems;
  if (Array.isArray(schema.prefixItems) && schema.prefixItems.length === 0) delete schema.prefixItems;
  if (schema.prefixItems !== undefined && !Array.isArray(schema.prefixItems)) delete schema.prefixItems;
}

function tidyBounds(schema: MutableSchema): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    if (schema[exclusive] === true && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    } else {
      delete schema[exclusive];
    }
  }
}

const STRINGS = ['description', 'title', 'pattern', 'format', '$ref'];
const NUMBERS =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties'.split(
    ' ',
  );

function tidyShapes(schema: MutableSchema): void {
  for (const keyword of STRINGS)
    if (keyword in schema && typeof schema[keyword] !== 'string') delete schema[keyword];
  for (const keyword of NUMBERS)
    if (keyword in schema && typeof schema[keyword] !== 'number') delete schema[keyword];
  for (const keyword of ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired']) {
    if (keyword in schema && !isObject(schema[keyword])) delete schema[keyword];
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum']) {
    const list = schema[keyword];
    if (keyword in schema && !(Array.isArray(list) && list.length > 0)) delete schema[keyword];
  }
  if ('required' in schema) {
    const names = Array.isArray(schema.required)
      ? schema.required.filter((name) => typeof name === 'string')
      : [];
    if (names.length === 0) delete schema.required;
    else schema.required = [...new Set(names)];
  }
  splitDependencies(schema);
}

function splitDependencies(schema: MutableSchema): void {
  if (!isObject(schema.dependencies)) {
    delete schema.dependencies;
    return;
  }
  const entries = Object.entries(schema.dependencies);
  const required = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  if (required.length > 0) schema.dependentRequired ??= fromEntries(required);
  if (schemas.length > 0) schema.dependentSchemas ??= fromEntries(schemas);
  delete schema.dependencies;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function mapOf(value: unknown): { readonly [key: string]: unknown } {
  return isObject(value) ? value : {};
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  return listOf(schema.required).filter((name) => typeof name === 'string');
}

const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SINGLES = ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'];
const UNEVALUATED = ['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'];

/** Every sub-schema of a canonical node, definitions left out: those are reached through `$ref`. */
export function* childrenOf(
  schema: JsonSchema,
): Generator<{ readonly path: string; readonly node: unknown }> {
  for (const keyword of MAPS) {
    for (const [key, node] of Object.entries(mapOf(schema[keyword])))
      yield { path: `${keyword}/${key}`, node };
  }
  for (const keyword of LISTS) {
    for (const [index, node] of listOf(schema[keyword]).entries())
      yield { path: `${keyword}/${index}`, node };
  }
  for (const keyword of [...SINGLES, ...UNEVALUATED]) {
    if (keyword in schema) yield { path: keyword, node: schema[keyword] };
  }
}
