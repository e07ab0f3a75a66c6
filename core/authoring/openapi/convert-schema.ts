import { isRecord } from '../../schema/pointer.ts';
import { tidySchema } from '../signature/tidy-schema.ts';
import type { OpenApiDocument } from './document.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Of OpenAPI, and nothing to JSON Schema or to a model. */
const DROPPED = new Set([
  'xml',
  'externalDocs',
  'discriminator',
  'example',
  'nullable',
  'readOnly',
  'writeOnly',
]);
/** They only say how wide a number is. */
const WIDTHS = new Set(['int32', 'int64', 'float', 'double']);
const DATA = new Set(['const', 'enum', 'default', 'examples']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** A schema of the document as JSON Schema by itself: references resolved, what contains itself in `$defs`. */
export function convertSchema(document: OpenApiDocument, schema: unknown): Schema {
  const definitions: Record<string, unknown> = {};
  const converting = new Converting(document, definitions);
  const converted = converting.convert(schema);
  return tidySchema(converted, definitions);
}

class Converting {
  readonly #document: OpenApiDocument;
  readonly #definitions: Record<string, unknown>;

  constructor(document: OpenApiDocument, definitions: Record<string, unknown>) {
    this.#document = document;
    this.#definitions = definitions;
  }

  convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.convert(each));
    if (!isRecord(value)) return value;
    const { $ref, ...beside } = value;
    if (typeof $ref !== 'string') return this.#convertOwn(value);
    if (!Object.hasOwn(this.#definitions, $ref)) {
      this.#definitions[$ref] = {};
      this.#definitions[$ref] = this.convert(this.#document.target($ref));
    }
    return { $ref: `#/definitions/${encodeURIComponent($ref)}`, ...this.#convertOwn(beside) };
  }

  #convertOwn(schema: Schema): Schema {
    const written: Record<string, unknown> = {};
    const hidden = this.#hiddenProperties(schema);
    for (const [key, value] of Object.entries(schema)) {
      if (DROPPED.has(key) || key.startsWith('x-')) continue;
      if (key === 'format' && WIDTHS.has(String(value))) continue;
      if (DATA.has(key)) written[key] = value;
      else if (NAMED.has(key) && isRecord(value)) {
        const kept = Object.entries(value).filter(([name]) => key !== 'properties' || !hidden.has(name));
        written[key] = Object.fromEntries(kept.map(([name, each]) => [name, this.convert(each)]));
      } else if (key === 'required' && Array.isArray(value)) {
        const kept = value.filter((name) => !hidden.has(String(name)));
        if (kept.length > 0) written.required = kept;
      } else written[key] = this.convert(value);
    }
    if (schema.example !== undefined && written.examples === undefined) written.examples = [schema.example];
    if (this.#document.isOldDialect) modernise(schema, written);
    return written;
  }

  /** What only the server sets is no argument. */
  #hiddenProperties({ properties }: Schema): ReadonlySet<string> {
    const entries = isRecord(properties) ? Object.entries(properties) : [];
    return new Set(
      entries.filter(([, each]) => isRecord(each) && each.readOnly === true).map(([name]) => name),
    );
  }
}

/** 3.0's own manner of writing null and exclusive bounds. */
function modernise(schema: Schema, written: Record<string, unknown>): void {
  if (schema.nullable === true && typeof schema.type === 'string') {
    written.type = [schema.type, 'null'];
    if (Array.isArray(schema.enum) && !schema.enum.includes(null)) written.enum = [...schema.enum, null];
  }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    delete written[exclusive];
    if (schema[exclusive] !== true) continue;
    written[exclusive] = schema[bound];
    delete written[bound];
  }
}
