import type { JsonSchema } from '../../plugin/manifest.ts';
import { compilePattern } from '../../schema/pattern.ts';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const ALL_TYPES: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** A sub-schema together with the document that its `$ref`s point into. */
export interface SchemaView {
  readonly root: JsonSchema;
  readonly schema: unknown;
}

export function isSchemaObject(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

export function typeOfJson(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
    case 'string':
    case 'object':
      return typeof value as JsonType; // the three names are JSON's own
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    default:
      return undefined;
  }
}

/**
 * The schemas that all apply to one value: the schema itself, what its `$ref` points at, and the members of `allOf`,
 * flattened, each once. Alternatives (`anyOf`, `oneOf`, `if`) are not in it.
 */
export function conjuncts({ root, schema }: SchemaView): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  collectConjuncts(root, schema, found);
  return [...found];
}

// Schemas of strangers may refer to themselves in any way: each is visited once.
function collectConjuncts(root: JsonSchema, schema: unknown, found: Set<JsonSchema>): void {
  if (!isSchemaObject(schema) || found.has(schema)) return;
  found.add(schema);
  if (typeof schema.$ref === 'string') collectConjuncts(root, resolveReference(root, schema.$ref), found);
  if (!Array.isArray(schema.allOf)) return;
  for (const part of schema.allOf) collectConjuncts(root, part, found);
}

/** What a `$ref` into its own document (`#`, `#/$defs/x`, `#anchor`, `$id#...`) points at; undefined for anything else. */
export function resolveReference(root: JsonSchema, written: string): unknown {
  const base = typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : '';
  const reference = base !== '' && written.startsWith(base) ? written.slice(base.length) || '#' : written;
  if (reference === '#') return root;
  if (!reference.startsWith('#')) return undefined;
  if (!reference.startsWith('#/')) return findAnchor(root, reference.slice(1));
  let current: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeStep(step);
    if (key === undefined || typeof current !== 'object' || current === null || !Object.hasOwn(current, key))
      return undefined;
    current = (current as Record<string, unknown>)[key]; // an own key, just checked
  }
  return current;
}

function decodeStep(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function findAnchor(root: JsonSchema, anchor: string): unknown {
  for (const group of [root.$defs, root.definitions]) {
    if (!isSchemaObject(group)) continue;
    const found = Object.values(group).find((schema) => isSchemaObject(schema) && schema.$anchor === anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Schemas don't change, and neither do their documents; the answer of each is found once. */
const KNOWN_TYPES = new WeakMap<JsonSchema, ReadonlySet<JsonType>>();

/**
 * The types that a value may have here. Never too few: a type that is missing can't be right, whatever the value,
 * which is what makes a repair safe.
 */
export function acceptedTypes(view: SchemaView): ReadonlySet<JsonType> {
  const { schema } = view;
  if (schema === false) return new Set();
  if (!isSchemaObject(schema)) return new Set(ALL_TYPES);
  const known = KNOWN_TYPES.get(schema);
  if (known !== undefined) return known;
  // A schema that is its own alternative is taken to accept everything while it is being looked at.
  KNOWN_TYPES.set(schema, new Set(ALL_TYPES));
  const accepted = findTypes(view);
  KNOWN_TYPES.set(schema, accepted);
  return accepted;
}

function findTypes(view: SchemaView): ReadonlySet<JsonType> {
  let accepted: ReadonlySet<JsonType> = new Set(ALL_TYPES);
  for (const schema of conjuncts(view)) {
    accepted = intersect(accepted, ownTypes(schema));
    for (const branches of alternatives(schema)) {
      const union = new Set<JsonType>();
      for (const branch of branches) {
        for (const type of acceptedTypes({ root: view.root, schema: branch })) union.add(type);
      }
      accepted = intersect(accepted, union);
    }
  }
  return accepted;
}

/** The branches of `anyOf` and of `oneOf`. */
export function alternatives(schema: JsonSchema): readonly (readonly unknown[])[] {
  return [schema.anyOf, schema.oneOf].filter(
    (branches) => Array.isArray(branches) && branches.length > 0,
  ) as unknown[][]; // only arrays pass
}

function ownTypes(schema: JsonSchema): ReadonlySet<JsonType> {
  let types: ReadonlySet<JsonType> = new Set(ALL_TYPES);
  const declared = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.type !== undefined && declared.every(isJsonType)) {
    const named = new Set<JsonType>(declared);
    if (named.has('number')) named.add('integer');
    // OpenAPI's flag, which ajv honours.
    if (schema.nullable === true) named.add('null');
    types = named;
  }
  if (Array.isArray(schema.enum)) types = intersect(types, typesOfValues(schema.enum));
  if (Object.hasOwn(schema, 'const')) types = intersect(types, typesOfValues([schema.const]));
  return types;
}

function isJsonType(type: unknown): type is JsonType {
  return ALL_TYPES.some((known) => known === type);
}

function typesOfValues(values: readonly unknown[]): ReadonlySet<JsonType> {
  return new Set(values.map(typeOfJson).filter((type) => type !== undefined));
}

function intersect(left: ReadonlySet<JsonType>, right: ReadonlySet<JsonType>): ReadonlySet<JsonType> {
  return new Set([...left].filter((type) => right.has(type)));
}

export function accepts(accepted: ReadonlySet<JsonType>, value: unknown): boolean {
  const type = typeOfJson(value);
  return type === undefined || accepted.has(type);
}

/** The schemas of one property: those that `properties` and `patternProperties` name, else those that catch the rest. */
export function propertySchemas(schema: JsonSchema, key: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const found: unknown[] = [];
  if (isSchemaObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key]);
  for (const [pattern, part] of isSchemaObject(patternProperties) ? Object.entries(patternProperties) : []) {
    const compiled = compilePattern(pattern);
    // Nobody can tell whether it applies, so no neighbour of it can be taken for the whole truth.
    if (!compiled.ok) return [];
    if (compiled.pattern.test(key)) found.push(part);
  }
  if (found.length === 0 && isSchemaObject(additionalProperties)) found.push(additionalProperties);
  return found;
}

/** The schemas of one array item, in the words of every dialect (`items` as a list, `prefixItems`). */
export function itemSchemas(schema: JsonSchema, index: number): readonly unknown[] {
  const prefix = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : [];
  if (index < prefix.length) return [prefix[index]];
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  return rest === undefined ? [] : [rest];
}
