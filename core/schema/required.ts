import { drop, fail, kindOf, refuse, warn } from './findings.ts';
import { isRecord, pointerTo } from './pointer.ts';
import type { Findings } from './problem.ts';
import { isBooleanLike, isTrue } from './property-lists.ts';

type Schema = Record<string, unknown>;

/** Names that their own property calls optional, on their way to `required`. */
export const OPTIONAL = ' optional';

/** `required: true` and `optional: true` inside a property belong to the object around it. */
export function liftRequired(
  name: string,
  child: unknown,
  at: string,
  walk: Findings,
): { child: unknown; required?: boolean } {
  if (!isRecord(child)) return { child };
  const { required, optional, ...rest } = child;
  if (isBooleanLike(required) && 'required' in child) {
    warn(
      walk,
      pointerTo(at, 'required'),
      `belongs to the object around it; read as required: ["${name}"] there`,
    );
    return {
      child: optional === undefined || isBooleanLike(optional) ? rest : { ...rest, optional },
      required: isTrue(required),
    };
  }
  if (isBooleanLike(optional)) {
    warn(walk, pointerTo(at, 'optional'), 'is not JSON Schema; read as leaving the name out of `required`');
    const kept = required === undefined ? rest : { ...rest, required };
    return isTrue(optional) ? { child: kept, required: false } : { child: kept };
  }
  const naming = Array.isArray(required) && required.length === 1 && required[0] === name;
  if (naming && !isRecord(child.properties)) {
    warn(
      walk,
      pointerTo(at, 'required'),
      'names its own property; read as `required` of the object around it',
    );
    return { child: optional === undefined ? rest : { ...rest, optional }, required: true };
  }
  return { child };
}

export function readRequired(value: unknown, at: string, walk: Findings, raw: Schema): Schema {
  if (typeof value === 'boolean' || (isBooleanLike(value) && !isRecord(raw.properties))) {
    return drop(walk, at, 'must be a list of names; ignored');
  }
  if (value === null) return drop(walk, at, 'is null; ignored');
  if (typeof value === 'string') {
    warn(walk, at, 'is one name in place of a list; read as a list of one');
    return { required: [value] };
  }
  return readNames('required', value, at, walk);
}

export function readNames(keyword: string, value: unknown, at: string, walk: Findings): Schema {
  if (!Array.isArray(value)) return refuse(walk, at, `must be a list of names, not ${kindOf(value)}`);
  const names = new Set<string>();
  for (const [index, name] of value.entries()) {
    if (typeof name !== 'string') fail(walk, pointerTo(at, index), `must be a name, not ${kindOf(name)}`);
    else if (names.has(name)) warn(walk, pointerTo(at, index), `repeats "${name}"; taken once`);
    else names.add(name);
  }
  return { [keyword]: [...names] };
}

export function checkRequiredNames(schema: Schema, at: string, walk: Findings): void {
  const optional: unknown = schema[OPTIONAL];
  delete schema[OPTIONAL];
  if (!Array.isArray(schema.required)) return;
  // readNames leaves only strings.
  const names = schema.required as string[];
  schema.required = Array.isArray(optional) ? names.filter((name) => !optional.includes(name)) : names;
  const { properties, additionalProperties, patternProperties } = schema;
  if (additionalProperties !== false || patternProperties !== undefined) return;
  for (const name of names) {
    if (isRecord(properties) && Object.hasOwn(properties, name)) continue;
    const message = `names "${name}", which \`properties\` doesn't list and \`additionalProperties\` forbids: no arguments can satisfy it`;
    fail(walk, pointerTo(at, 'required'), message);
  }
}

/** Names from both sides, each once. */
export function mergeNames(left: unknown, right: unknown): string[] {
  return [...new Set([left, right].flat().filter((name) => typeof name === 'string'))];
}
