import { createRequire } from 'node:module';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { $ZodType } from 'zod/v4/core';
import type { JsonSchema } from '../../plugin/manifest.ts';

const TARGET = 'draft-2020-12';

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  if (
    (typeof schema !== 'object' && typeof schema !== 'function') ||
    schema === null ||
    !('~standard' in schema)
  )
    return false;
  const standard = schema['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/**
 * The JSON Schema of a tool's parameters.
 *
 * @throws TypeError where a schema can't be written as JSON Schema, or is not one of an object: a mistake of the
 * program that registers the tool, to be seen at once.
 */
export function deriveParameters(schema: unknown, tool: string): JsonSchema {
  const { type, ...rest } = deriveJsonSchema(schema, tool, 'input');
  if (type !== undefined && type !== 'object') {
    throw new TypeError(`Tool "${tool}": parameters must describe an object, not ${JSON.stringify(type)}.`);
  }
  return { type: 'object', ...rest };
}

/** The JSON Schema of what a Standard Schema takes in or gives out; a JSON Schema is what it is. */
export function deriveJsonSchema(schema: unknown, tool: string, side: 'input' | 'output'): JsonSchema {
  const json = isStandardSchema(schema) ? fromStandard(schema, tool, side) : schema;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new TypeError(
      `Tool "${tool}": a schema must be a Standard Schema (zod and others) or a JSON Schema object.`,
    );
  }
  return json as JsonSchema; // an object, just checked
}

function fromStandard(schema: StandardSchemaV1, tool: string, side: 'input' | 'output'): unknown {
  const standard = schema['~standard'];
  try {
    if (hasConverter(standard)) return standard.jsonSchema[side]({ target: TARGET });
    // zod 4.0 and 4.1 have the converter, but not yet in the standard's place.
    if (standard.vendor === 'zod' && '_zod' in schema) {
      // Loaded by those alone who need it, and at once: whoever registers a function waits for no promise.
      const { toJSONSchema } = createRequire(import.meta.url)('zod/v4/core') as typeof import('zod/v4/core'); // that module
      return toJSONSchema(schema as unknown as $ZodType, { io: side, target: TARGET }); // `_zod` marks it
    }
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw new TypeError(
      `Tool "${tool}": its schema can't be written as JSON Schema${why}; pass its JSON Schema as "jsonSchema" too.`,
      { cause },
    );
  }
  throw new TypeError(
    `Tool "${tool}": ${standard.vendor} schemas without Standard JSON Schema can't be shown to a model; pass its JSON Schema as "jsonSchema" too.`,
  );
}

function hasConverter(standard: object): standard is StandardJSONSchemaV1.Props {
  return (
    'jsonSchema' in standard &&
    typeof standard.jsonSchema === 'object' &&
    standard.jsonSchema !== null &&
    'input' in standard.jsonSchema
  );
}
