import type { JsonSchema } from '../../plugin/manifest.ts';
import type { ExactJson, ExactObject } from './exact-json.ts';
import { formatPath } from './format-path.ts';
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
  /** The places that were filled in, written as paths. */
  readonly applied: readonly string[];
}

const MAX_DEFAULT_DEPTH = 64;
/** A recursive schema whose defaults hold defaults would never be full. */
const MAX_DEFAULTS = 1_000;

/**
 * Fills in the defaults of absent properties, at every depth. A default of a type that its own schema forbids
 * (`"type": "string", "default": null`, as many generators write) means "may be absent" and is left out; so is one
 * in a branch of `anyOf` or `oneOf`, where nobody can tell whether the branch is meant, and one at a path of `except`.
 */
export function applyDefaults(
  schema: JsonSchema,
  value: ExactJson,
  except: ReadonlySet<string> = new Set(),
): WithDefaults {
  if (!hasDefaults(schema)) return { value, applied: [] };
  const filling: Filling = { root: schema, applied: [], except };
  const filled = fill(filling, schema, value, []);
  return { value: filling.applied.length === 0 ? value : filled, applied: filling.applied };
}

const schemasWithDefaults = new WeakMap<JsonSchema, boolean>();

/** Is there a default anywhere in it? Most schemas have none, and each call would walk its arguments for it. */
function hasDefaults(schema: JsonSchema): boolean {
  const known = schemasWithDefaults.get(schema);
  if (known !== undefined) return known;
  const found = holdsDefault(schema);
  schemasWithDefaults.set(schema, found);
  return found;
}

function holdsDefault(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.hasOwn(part, 'default') || Object.values(part).some(holdsDefault);
}

interface Filling {
  readonly root: JsonSchema;
  readonly applied: string[];
  readonly except: ReadonlySet<string>;
}

type Path = readonly (string | number)[];

function fill(filling: Filling, schema: unknown, value: ExactJson, path: Path): ExactJson {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEFAULT_DEPTH) return value;
  return conjuncts({ root: filling.root, schema }).reduce<ExactJson>(
    (done, part) => fillMembers(filling, part, done, path),
    value,
  );
}

function fillAll(filling: Filling, schemas: readonly unknown[], value: ExactJson, path: Path): ExactJson {
  return schemas.reduce<ExactJson>((done, schema) => fill(filling, schema, done, path), value);
}

function fillMembers(filling: Filling, schema: JsonSchema, value: ExactJson, path: Path): ExactJson {
  if (Array.isArray(value)) {
    return value.map((item: ExactJson, index) =>
      fillAll(filling, itemSchemas(schema, index), item, [...path, index]),
    );
  }
  const object = value as ExactObject; // neither scalar (see fill) nor array
  const members = Object.entries(object).map(([key, member]): [string, ExactJson] => [
    key,
    fillAll(filling, propertySchemas(schema, key), member, [...path, key]),
  ]);
  const properties = isSchemaObject(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [key, part] of properties) {
    if (Object.hasOwn(object, key) || filling.applied.length >= MAX_DEFAULTS) continue;
    const fallback = defaultOf({ root: filling.root, schema: part });
    const written = formatPath([...path, key]);
    if (fallback === undefined || filling.except.has(written)) continue;
    filling.applied.push(written);
    members.push([key, fill(filling, part, fallback, [...path, key])]);
  }
  return Object.fromEntries(members);
}

function defaultOf(view: SchemaView): ExactJson | undefined {
  const holder = conjuncts(view).find((schema) => Object.hasOwn(schema, 'default'));
  if (holder === undefined || !accepts(acceptedTypes(view), holder.default)) return undefined;
  return structuredClone(holder.default) as ExactJson; // schemas are JSON
}
