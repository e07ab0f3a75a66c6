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
  sameJson,
  typesOf,
} from './schema-node.ts';
import type { References } from './schema-refs.ts';

const ANNOTATIONS = new Set([
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const LARGER = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
]);
const SMALLER = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
]);
const MAX_DEPTH = 32;

export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword);
}

/** Follows references until the node is none; their siblings are merged in. Undefined: dangling or a mere cycle. */
export function dereference(node: unknown, references: References, depth = 0): JsonSchema | undefined {
  const schema = canonical(node);
  if (typeof schema.$ref !== 'string') return schema;
  const target = references.resolve(schema.$ref);
  if (target === undefined || depth > MAX_DEPTH) return undefined;
  const resolved = dereference(target, references, depth + 1);
  return resolved === undefined ? undefined : mergeSchemas(omit(schema, '$ref'), resolved);
}

/** Writes `allOf` away as far as that can be done; what can't be expressed stays in a smaller `allOf`. */
export function mergeAllOf(schema: JsonSchema, references: References, depth = 0): JsonSchema {
  if (schema.allOf === undefined || depth > MAX_DEPTH) return schema;
  let merged: JsonSchema = omit(schema, 'allOf');
  for (const branch of listOf(schema.allOf)) {
    const resolved = dereference(branch, references);
    if (resolved !== undefined) merged = mergeSchemas(merged, mergeAllOf(resolved, references, depth + 1));
  }
  return merged;
}

/** The intersection of two schemas: annotations of the first win, the rest is combined. */
export function mergeSchemas(left: JsonSchema, right: JsonSchema): JsonSchema {
  const result: MutableSchema = fromEntries(Object.entries(left));
  const leftover: JsonSchema[] = [];
  for (const [keyword, value] of Object.entries(right)) {
    if (!Object.hasOwn(result, keyword)) {
      result[keyword] = value;
      continue;
    }
    if (isAnnotation(keyword)) continue;
    const combined = combine(keyword, result[keyword], value);
    if (combined === undefined) leftover.push({ [keyword]: value });
    else result[keyword] = combined;
  }
  if (leftover.length > 0) result.allOf = [...listOf(result.allOf), ...leftover];
  return result;
}

function combine(keyword: string, left: unknown, right: unknown): unknown {
  if (sameJson(left, right)) return left;
  if (keyword === 'type') return combineTypes(left, right);
  if (keyword === 'required') return [...new Set([...listOf(left), ...listOf(right)])];
  if (keyword === 'allOf') return [...listOf(left), ...listOf(right)];
  if (keyword === 'enum')
    return nonEmpty(listOf(left).filter((one) => listOf(right).some((two) => sameJson(one, two))));
  if (keyword === 'properties' || keyword === 'patternProperties' || keyword === 'dependentSchemas') {
    return combineMaps(mapOf(left), mapOf(right));
  }
  if (LARGER.has(keyword) && typeof left === 'number' && typeof right === 'number')
    return Math.max(left, right);
  if (SMALLER.has(keyword) && typeof left === 'number' && typeof right === 'number')
    return Math.min(left, right);
  if (keyword === 'items' || keyword === 'additionalProperties') return combineNodes(left, right);
  if (keyword === 'uniqueItems') return left === true || right === true;
  return undefined;
}

function combineNodes(left: unknown, right: unknown): unknown {
  if (left === false || right === false) return false;
  if (left === true) return right;
  if (right === true) return left;
  // References are left to whoever knows the document.
  return isObject(left) && isObject(right) ? intersection(left, right) : undefined;
}

function intersection(left: JsonSchema, right: JsonSchema): JsonSchema {
  if ('$ref' in left || '$ref' in right) return { allOf: [left, right] };
  return mergeSchemas(canonical(left), canonical(right));
}

function combineMaps(left: JsonSchema, right: JsonSchema): JsonSchema {
  const entries = new Map<string, unknown>(Object.entries(left));
  for (const [key, node] of Object.entries(right)) {
    const other = entries.get(key);
    entries.set(
      key,
      entries.has(key) && !sameJson(other, node) ? intersection(canonical(other), canonical(node)) : node,
    );
  }
  return fromEntries(entries);
}

function combineTypes(left: unknown, right: unknown): unknown {
  const one = typesOf({ type: left }) ?? [];
  const two = typesOf({ type: right }) ?? [];
  const narrow = (type: string, others: readonly string[]): boolean =>
    others.includes(type) || (type === 'integer' && others.includes('number'));
  const types = [
    ...new Set([...one.filter((type) => narrow(type, two)), ...two.filter((type) => narrow(type, one))]),
  ];
  return types.length <= 1 ? types[0] : types;
}

function nonEmpty(values: readonly unknown[]): readonly unknown[] | undefined {
  return values.length > 0 ? values : undefined;
}

/** Is null among the values of this schema? What can't be told counts as yes. */
export function acceptsNull(node: unknown, references: References, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  const schema = canonical(node);
  if (typeof schema.$ref === 'string') {
    const target = references.resolve(schema.$ref);
    if (target !== undefined && !acceptsNull(target, references, depth + 1)) return false;
  }
  const types = typesOf(schema);
  if (types !== undefined && !types.includes('null')) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
  if ('const' in schema && schema.const !== null) return false;
  if (isObject(schema.not) && Object.keys(schema.not).length === 0) return false;
  const accepts = (branch: unknown): boolean => acceptsNull(branch, references, depth + 1);
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(accepts)) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(accepts).length !== 1) return false;
  return !Array.isArray(schema.allOf) || schema.allOf.every(accepts);
}

export interface Flattened {
  readonly schema: JsonSchema;
  /** What the flat form no longer says, in words. */
  readonly texts: readonly string[];
}

/** Hoists the properties of `anyOf`, `oneOf` and conditional branches into the object itself; only `required` widens. */
export function flattenUnions(schema: JsonSchema, references: References): Flattened {
  const texts: string[] = [];
  let flat: JsonSchema = mergeAllOf(schema, references);
  for (const constraint of [flat, ...listOf(flat.allOf)]) {
    if (!isObject(constraint)) continue;
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      if (!Array.isArray(constraint[keyword])) continue;
      const branches = constraint[keyword]
        .map((branch) => dereference(branch, references))
        .filter((branch) => branch !== undefined)
        .map((branch) => mergeAllOf(branch, references))
        .map((branch) => (branch.anyOf || branch.oneOf ? flattenUnions(branch, references).schema : branch))
        .filter((branch) => typesOf(branch)?.includes('object') ?? true);
      if (branches.length === 0) continue;
      texts.push(unionText(branches, keyword === 'oneOf'));
      flat = hoist(flat, branches);
    }
  }
  // A condition only narrows what is declared; without it that may hold anything it is declared to.
  const declared = new Set(Object.keys(mapOf(flat.properties)));
  const conditional = [flat.then, flat.else, ...Object.values(mapOf(flat.dependentSchemas))];
  for (const node of conditional) {
    const branch = node === undefined ? undefined : dereference(node, references);
    if (branch !== undefined) flat = addProperties(flat, branch, declared);
  }
  const rest = listOf(flat.allOf).filter((branch) => isObject(branch) && !branch.anyOf && !branch.oneOf);
  const base = omit(flat, 'anyOf', 'oneOf', 'allOf');
  return { schema: rest.length > 0 ? { ...base, allOf: rest } : base, texts };
}

function hoist(base: JsonSchema, branches: readonly JsonSchema[]): JsonSchema {
  let result = base;
  for (const branch of branches) result = addProperties(result, branch);
  const [first, ...others] = branches.map(requiredOf);
  const shared = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  const required = [...new Set([...requiredOf(base), ...shared])];
  const closed = branches.every((branch) => branch.additionalProperties === false);
  const open = branches.find((branch) => isObject(branch.additionalProperties))?.additionalProperties;
  return {
    ...omit(result, 'required', 'additionalProperties'),
    ...(required.length > 0 ? { required } : {}),
    ...('additionalProperties' in base
      ? { additionalProperties: base.additionalProperties }
      : closed
        ? { additionalProperties: false }
        : open === undefined
          ? {}
          : { additionalProperties: true }),
  };
}

function addProperties(
  base: JsonSchema,
  branch: JsonSchema,
  settled: ReadonlySet<string> = new Set(),
): JsonSchema {
  const entries = new Map<string, unknown>(Object.entries(mapOf(base.properties)));
  for (const [key, node] of Object.entries(mapOf(branch.properties))) {
    if (!entries.has(key)) entries.set(key, node);
    else if (!settled.has(key)) entries.set(key, either(canonical(entries.get(key)), canonical(node)));
  }
  return { ...base, properties: fromEntries(entries) };
}

/** The union of two schemas of one property. An empty one only says that the property may be there. */
function either(left: JsonSchema, right: JsonSchema): JsonSchema {
  if (sameJson(left, right) || Object.keys(right).length === 0) return left;
  if (Object.keys(left).length === 0) return right;
  const values = (schema: JsonSchema): readonly unknown[] | undefined =>
    'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const one = values(left);
  const two = values(right);
  if (one !== undefined && two !== undefined && sameJson(left.type, right.type)) {
    const merged = [...one, ...two.filter((value) => !one.some((other) => sameJson(value, other)))];
    return { ...omit(left, 'const', 'enum'), enum: merged };
  }
  const known = Array.isArray(left.anyOf) && Object.keys(left).length === 1 ? left.anyOf : [left];
  return known.some((branch) => sameJson(branch, right)) ? left : { anyOf: [...known, right] };
}

function unionText(branches: readonly JsonSchema[], exactlyOne: boolean): string {
  const bare = branches.every((branch) =>
    Object.keys(branch).every((keyword) => keyword === 'required' || keyword === 'type'),
  );
  const groups = branches.map((branch) => requiredOf(branch).join(' and ')).filter((group) => group !== '');
  if (bare) return `Give ${exactlyOne ? 'exactly' : 'at least'} one of these: ${groups.join('; ')}.`;
  const forms = branches.map((branch, index) => `(${index + 1}) ${formText(branch)}`);
  return `Give ${exactlyOne ? 'exactly' : 'at least'} one of these forms: ${forms.join('; ')}.`;
}

function formText(branch: JsonSchema): string {
  const required = requiredOf(branch);
  const properties = Object.entries(mapOf(branch.properties)).map(([key, node]) => {
    const value = canonical(node);
    const fixed = 'const' in value ? `=${JSON.stringify(value.const)}` : '';
    return `${key}${fixed}${required.includes(key) ? '' : ' (optional)'}`;
  });
  const missing = required.filter((key) => !Object.hasOwn(mapOf(branch.properties), key));
  const title = typeof branch.title === 'string' ? `${branch.title}: ` : '';
  return `${title}${[...properties, ...missing].join(', ') || 'nothing more'}`;
}
