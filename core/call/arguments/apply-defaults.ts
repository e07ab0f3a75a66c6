import type { JsonSchema } from '../../plugin/manifest.ts';
import type { ExactJson, ExactObject } from './exact-json.ts';
import {
  acceptedTypes,
  accepts,
  conjuncts,
  isSchemaObject,
  itemSchemas,
  propertySchemas,
  type SchemaView,
} from './schema-view.ts';

export interface WithDefaults {
  readonly value: ExactJson;
  /** How many were filled in. */
  readonly applied: number;
}

const MAX_DEFAULT_DEPTH = 64;

/**
 * Fills in the defaults of absent properties, at every depth. A default of a type that its own schema forbids
 * (`"type": "string", "default": null`, as many generators write) means "may be absent" and is left out; so is one
 * in a branch of `anyOf` or `oneOf`, where nobody can tell whether the branch is meant.
 */
export function applyDefaults(schema: JsonSchema, value: ExactJson): WithDefaults {
  const counter = { applied: 0 };
  const filled = fill({ root: schema, schema }, value, counter, 0);
  return { value: counter.applied === 0 ? value : filled, applied: counter.applied };
}

interface Counter {
  applied: number;
}

function fill(view: SchemaView, value: ExactJson, counter: Counter, depth: number): ExactJson {
  if (typeof value !== 'object' || value === null || depth > MAX_DEFAULT_DEPTH) return value;
  let current: ExactJson = value;
  for (const schema of conjuncts(view)) current = fillMembers(view.root, schema, current, counter, depth);
  return current;
}

function fillMembers(
  root: JsonSchema,
  schema: JsonSchema,
  value: ExactJson,
  counter: Counter,
  depth: number,
): ExactJson {
  const fillMember = (parts: readonly unknown[], member: ExactJson): ExactJson =>
    parts.reduce<ExactJson>((done, part) => fill({ root, schema: part }, done, counter, depth + 1), member);
  if (Array.isArray(value)) {
    return value.map((item: ExactJson, index) => fillMember(itemSchemas(schema, index), item));
  }
  const object = value as ExactObject; // neither scalar (see fill) nor array
  const members = Object.entries(object).map(([key, member]): [string, ExactJson] => [
    key,
    fillMember(propertySchemas(schema, key), member),
  ]);
  const properties = isSchemaObject(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [key, part] of properties) {
    if (Object.hasOwn(object, key)) continue;
    const fallback = defaultOf({ root, schema: part });
    if (fallback === undefined) continue;
    counter.applied += 1;
    members.push([key, fillMember([part], fallback)]);
  }
  return Object.fromEntries(members);
}

function defaultOf(view: SchemaView): ExactJson | undefined {
  const holder = conjuncts(view).find((schema) => Object.hasOwn(schema, 'default'));
  if (holder === undefined || !accepts(acceptedTypes(view), holder.default)) return undefined;
  return structuredClone(holder.default) as ExactJson; // schemas are JSON
}
