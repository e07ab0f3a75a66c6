import type { JsonSchema } from '../plugin/manifest.ts';
import { isRawNumber } from './lossless-json.ts';
import {
  canonical,
  isObject,
  listOf,
  mapOf,
  omit,
  requiredOf,
  sameJson,
  typeAllows,
  typesOf,
} from './schema-node.ts';
import type { References } from './schema-refs.ts';

const MAX_EXPANSIONS = 64;

/** A conjunction of nodes without `$ref`, `allOf`, `anyOf` or `oneOf`. */
export type Reading = readonly JsonSchema[];

/** Each way to read a conjunction of schemas: one branch of each union chosen. */
export function* readings(
  schemas: readonly unknown[],
  references: References,
  done: Reading = [],
  expanded = 0,
): Generator<Reading> {
  const [first, ...rest] = schemas;
  if (schemas.length === 0 || expanded > MAX_EXPANSIONS) {
    yield done;
    return;
  }
  const { base, choices, all } = open(first, references);
  if (choices.length === 0) {
    yield* readings([...all, ...rest], references, [...done, base], expanded + 1);
    return;
  }
  const [branches, ...others] = choices;
  const left: JsonSchema = others.length > 0 ? { allOf: others.map((anyOf) => ({ anyOf })) } : {};
  for (const branch of branches ?? []) {
    yield* readings([branch, left, ...all, ...rest], references, [...done, base], expanded + 1);
  }
}

/** The reading that holds every branch of every union at once: good for names, no good for checking. */
export function fullReading(schemas: readonly unknown[], references: References): Reading {
  const result: JsonSchema[] = [];
  const waiting = [...schemas];
  const seen = new Set<unknown>();
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (seen.has(node)) continue;
    seen.add(node);
    const { base, choices, all } = open(node, references);
    result.push(base);
    waiting.push(...all, ...choices.flat());
  }
  return result;
}

function open(
  node: unknown,
  references: References,
): { base: JsonSchema; choices: (readonly unknown[])[]; all: unknown[] } {
  const schema = canonical(node);
  const all = [...listOf(schema.allOf)];
  if (typeof schema.$ref === 'string') all.push(references.resolve(schema.$ref) ?? {});
  const choices = [schema.anyOf, schema.oneOf].map(listOf).filter((branches) => branches.length > 0);
  // The branches of a condition name properties too; which of them holds doesn't matter for names.
  for (const keyword of ['then', 'else']) if (isObject(schema[keyword])) all.push(namesOnly(schema[keyword]));
  for (const branch of Object.values(mapOf(schema.dependentSchemas))) all.push(namesOnly(branch));
  return { base: omit(schema, 'allOf', 'anyOf', 'oneOf', '$ref'), choices, all };
}

function namesOnly(node: unknown): JsonSchema {
  const { properties } = canonical(node);
  return properties === undefined ? {} : { properties };
}

/** A structural check, enough to tell the branches of a union apart; real validation happens elsewhere. */
export function fits(
  value: unknown,
  node: unknown,
  references: References,
  budget: { steps: number },
): boolean {
  budget.steps -= 1;
  if (budget.steps < 0) return true;
  const schema = canonical(node);
  const check = (inner: unknown, child: unknown): boolean => fits(inner, child, references, budget);
  if (typeof schema.$ref === 'string' && !check(value, references.resolve(schema.$ref) ?? {})) return false;
  if (isObject(schema.not) && Object.keys(schema.not).length === 0) return false;
  const plain = isRawNumber(value) ? 0 : value;
  const types = typesOf(schema);
  if (types !== undefined && !types.some((type) => typeAllows(type, plain))) return false;
  if ('const' in schema && !sameJson(schema.const, value)) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => sameJson(allowed, value))) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((branch) => check(value, branch))) return false;
  if (Array.isArray(schema.oneOf) && !schema.oneOf.some((branch) => check(value, branch))) return false;
  if (Array.isArray(schema.allOf) && !schema.allOf.every((branch) => check(value, branch))) return false;
  if (Array.isArray(value)) {
    return value.every((item, index) => itemSchemas([schema], index).every((child) => check(item, child)));
  }
  return !isObject(plain) || fitsObject(plain, schema, check);
}

function fitsObject(
  value: JsonSchema,
  schema: JsonSchema,
  check: (inner: unknown, child: unknown) => boolean,
): boolean {
  if (requiredOf(schema).some((name) => !Object.hasOwn(value, name))) return false;
  const properties = mapOf(schema.properties);
  const closed = schema.additionalProperties === false && schema.patternProperties === undefined;
  return Object.entries(value).every(([key, inner]) => {
    if (Object.hasOwn(properties, key)) return check(inner, properties[key]);
    if (closed) return false;
    return (
      !isObject(schema.additionalProperties) ||
      schema.patternProperties !== undefined ||
      check(inner, schema.additionalProperties)
    );
  });
}

export function itemSchemas(parts: Reading, index: number): unknown[] {
  return parts
    .map((part) => listOf(part.prefixItems)[index] ?? part.items)
    .filter((node) => node !== undefined);
}

/** The schemas of one property, by the parts that name it. */
export function namedProperty(parts: Reading, key: string): unknown[] {
  const maps = parts.map((part) => mapOf(part.properties));
  return maps.filter((map) => Object.hasOwn(map, key)).map((map) => map[key]);
}

/** The schemas of keys that are not listed; undefined where no part speaks of such keys. */
export function unnamedProperty(parts: Reading): unknown[] | undefined {
  const nodes: unknown[] = [];
  for (const part of parts) {
    const patterns = Object.values(mapOf(part.patternProperties));
    if (patterns.length === 1) nodes.push(patterns[0]);
    else if (patterns.length > 1) nodes.push({});
    else if (isObject(part.additionalProperties) || part.additionalProperties === true)
      nodes.push(part.additionalProperties);
  }
  return nodes.length > 0 ? nodes : undefined;
}
