import { kindOf, refuse, warn } from './findings.ts';
import { isRecord, pointerTo } from './pointer.ts';
import type { Findings } from './problem.ts';
import { type ReadType, readTypeName, TYPES, type TypeName } from './type-names.ts';

type Schema = Record<string, unknown>;

/**
 * Reads the value of `type`; a name that isn't JSON Schema's is translated with a warning.
 * Undefined where `guess` is false and the text is no name of a type.
 */
export function readType(
  value: unknown,
  at: string,
  findings: Findings,
  isKeyword = true,
): Schema | undefined {
  if (typeof value === 'string') {
    if (isType(value)) return { type: value };
    const read = readTypeName(value);
    if (!isKeyword) return read.unknown || value === '' ? undefined : writeType(read);
    warn(findings, at, explainName(value, read));
    return writeType(read);
  }
  if (Array.isArray(value)) return readTypeList(value, at, findings);
  if (value === null) {
    warn(findings, at, 'is null; read as any type');
    return {};
  }
  return refuse(findings, at, `must be a type's name or a list of them, not ${kindOf(value)}`);
}

function readTypeList(list: readonly unknown[], at: string, findings: Findings): Schema {
  if (list.length === 0) {
    warn(findings, at, 'is an empty list; read as any type');
    return {};
  }
  const types: TypeName[] = [];
  let anything = false;
  for (const [index, name] of list.entries()) {
    const itemAt = pointerTo(at, index);
    if (typeof name === 'string' && isType(name)) {
      if (types.includes(name)) warn(findings, itemAt, `repeats "${name}"; taken once`);
      else types.push(name);
    } else if (typeof name === 'string') {
      const read = readTypeName(name);
      warn(findings, itemAt, explainName(name, read));
      if (read.types.length === 0) anything = true;
      for (const type of read.types) if (!types.includes(type)) types.push(type);
    } else if (name === null) {
      warn(findings, itemAt, 'is null; read as "null"');
      if (!types.includes('null')) types.push('null');
    } else refuse(findings, itemAt, `must be a type's name, not ${kindOf(name)}`);
  }
  if (anything || types.length === 0) return {};
  return { type: types.length === 1 ? types[0] : types };
}

function writeType({ types, items }: ReadType): Schema {
  const [only] = types;
  if (only === undefined) return {};
  const inner = items && writeType(items);
  return {
    type: types.length === 1 ? only : [...types],
    ...(inner && Object.keys(inner).length > 0 && { items: inner }),
  };
}

function explainName(name: string, { types, unknown }: ReadType): string {
  const shown = `the type "${name.slice(0, 60)}" is not JSON Schema`;
  if (unknown) return `${shown} and means nothing here; read as any type`;
  return `${shown}; read as ${types.length === 0 ? 'any type' : types.map((type) => `"${type}"`).join(' or ')}`;
}

/** `nullable: true`, as OpenAPI 3.0 has it. */
export function applyNullable(schema: Schema, at: string, findings: Findings): void {
  if (!('nullable' in schema)) return;
  const { nullable } = schema;
  delete schema.nullable;
  if (nullable !== true && nullable !== 'true') return;
  warn(findings, pointerTo(at, 'nullable'), 'is of OpenAPI, not JSON Schema; read as allowing null');
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.includes('null')) schema.type = [...types, 'null'];
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  if ('const' in schema && schema.const !== null) {
    schema.enum = [schema.const, null];
    delete schema.const;
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[keyword])) schema[keyword] = [...schema[keyword], { type: 'null' }];
  }
  if (isRecord(schema) && typeof schema.$ref === 'string') {
    schema.anyOf = [{ $ref: schema.$ref }, { type: 'null' }];
    delete schema.$ref;
  }
}

function isType(name: string): name is TypeName {
  return TYPES.some((type) => type === name);
}
