import type { JsonSchema, Manifest } from '../plugin/manifest.ts';
import {
  acceptedTypes,
  alternatives,
  conjuncts,
  isSchemaObject,
  type JsonType,
  type SchemaView,
} from './arguments/schema-view.ts';

const MAX_EXAMPLE_CHARS = 600;
const MAX_DEPTH = 8;
const MAX_ITEMS = 20;
/** More would not fit into an example that is worth showing. */
const MAX_VALUES = 200;

/**
 * The smallest arguments that this tool accepts, as JSON text: the author's shortest example, else one made from the
 * schema. Undefined when none passes the validator, for a wrong example is worse than none.
 */
export function minimalExample(manifest: Manifest, isValid: (value: unknown) => boolean): string | undefined {
  const written = manifest.examples.map((example): unknown => example.arguments);
  const candidates = [
    ...written,
    makeValue({ root: manifest.parameters, schema: manifest.parameters, budget: { values: MAX_VALUES } }, 0),
  ]
    .filter((candidate) => candidate !== undefined && isValid(candidate))
    .map((candidate) => JSON.stringify(candidate))
    .filter((text) => text.length <= MAX_EXAMPLE_CHARS);
  return candidates.sort((left, right) => left.length - right.length)[0];
}

interface MakingView extends SchemaView {
  /** Shared by all views of one example: how many values may still be made. */
  readonly budget: { values: number };
}

function makeValue(view: MakingView, depth: number): unknown {
  view.budget.values -= 1;
  if (depth > MAX_DEPTH || view.budget.values < 0) return undefined;
  const schemas = conjuncts(view);
  const given = givenValue(schemas);
  if (given.length > 0) return given[0];
  for (const schema of schemas) {
    const [branch] = alternatives(schema).flat();
    if (branch === undefined) continue;
    // The branch and its surroundings hold together.
    return makeValue({ ...view, schema: { allOf: [branch, without(schema, 'anyOf', 'oneOf')] } }, depth + 1);
  }
  return makeOfType(pickType(acceptedTypes(view)), merge(schemas), view, depth);
}

/** A value that the schema itself names. */
function givenValue(schemas: readonly JsonSchema[]): readonly unknown[] {
  for (const schema of schemas) {
    if (Object.hasOwn(schema, 'const')) return [schema.const];
    if (Array.isArray(schema.enum)) return schema.enum.slice(0, 1);
    if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples.slice(0, 1);
    if (Object.hasOwn(schema, 'default') && schema.default !== null) return [schema.default];
  }
  return [];
}

const PREFERENCE: readonly JsonType[] = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null'];

function pickType(types: ReadonlySet<JsonType>): JsonType | undefined {
  return PREFERENCE.find((type) => types.has(type));
}

function merge(schemas: readonly JsonSchema[]): JsonSchema {
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []));
  const properties = Object.assign(
    {},
    ...schemas.map((schema) => (isSchemaObject(schema.properties) ? schema.properties : {})),
  );
  return { ...Object.assign({}, ...schemas), required, properties };
}

function without(schema: JsonSchema, ...keys: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function makeOfType(
  type: JsonType | undefined,
  schema: JsonSchema,
  view: MakingView,
  depth: number,
): unknown {
  switch (type) {
    case 'object':
      return makeObject(schema, view, depth);
    case 'array':
      return Array.from({ length: Math.min(numberOf(schema.minItems) ?? 0, MAX_ITEMS) }, () =>
        makeValue({ ...view, schema: schema.items ?? {} }, depth + 1),
      );
    case 'string':
      return makeString(schema);
    case 'integer':
    case 'number':
      return makeNumber(schema, type === 'integer');
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function makeObject(schema: JsonSchema, view: MakingView, depth: number): unknown {
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = isSchemaObject(schema.properties) ? schema.properties : {};
  const keys = [...new Set(required)].filter((key) => typeof key === 'string');
  return Object.fromEntries(
    keys.map((key) => [
      key,
      makeValue({ ...view, schema: Object.hasOwn(properties, key) ? properties[key] : {} }, depth + 1),
    ]),
  );
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/path',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  regex: 'a+',
  'json-pointer': '/a',
};

function makeString({ format, minLength, maxLength }: JsonSchema): string {
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? '';
  const text = 'text'.padEnd(Math.min(numberOf(minLength) ?? 0, MAX_EXAMPLE_CHARS), 'x');
  return text.slice(0, numberOf(maxLength) ?? text.length);
}

function makeNumber(schema: JsonSchema, integer: boolean): number {
  const step = numberOf(schema.multipleOf) ?? (integer ? 1 : 0.5);
  const low = numberOf(schema.minimum) ?? numberOf(schema.exclusiveMinimum);
  const high = numberOf(schema.maximum) ?? numberOf(schema.exclusiveMaximum);
  if (low === undefined && high === undefined) return Math.max(step, 1);
  if (low === undefined)
    return Math.min(1, Math.floor((high ?? 1) / step) * step - (schema.maximum === undefined ? step : 0));
  const first = Math.ceil(low / step) * step;
  return first === low && schema.minimum === undefined ? first + step : first;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
