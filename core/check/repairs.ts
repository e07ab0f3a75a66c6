import { isRecord, pathKeys, resolvePointer } from '../schema/pointer.ts';
import { readTypeName, TYPES } from '../schema/type-names.ts';
import type { JsonEdit } from './finding.ts';

export interface Repair {
  readonly text: string;
  readonly edits: readonly JsonEdit[];
}

/**
 * The edit of a schema.json that writes what was read there anyway, where there is a small one. Whoever applies it makes
 * sure that the file is read as the same as before.
 */
export function repairOf(root: unknown, pointer: string): Repair | undefined {
  const keys = pathKeys(root, pointer);
  const last = keys.at(-1);
  const value = resolvePointer(root, pointer);
  if (last === 'type' || keys.at(-2) === 'type') return typeRepair(root, keys, value);
  if (last === 'required') return requiredRepair(root, pointer, value);
  if (last === 'optional' && typeof value === 'boolean')
    return {
      text: 'leave the key out, and the name out of "required"',
      edits: [{ path: keys, value: undefined }],
    };
  if (keys.at(-2) === 'required') return repeatedRepair(root, keys);
  if (last === 'nullable') return nullableRepair(root, keys, value);
  return undefined;
}

/** "float" is "number"; a name that means nothing, or a list of something, is left to a person. */
function typeRepair(root: unknown, path: readonly (string | number)[], value: unknown): Repair | undefined {
  if (typeof value !== 'string' || TYPES.some((type) => type === value)) return undefined;
  const { types, items, unknown } = readTypeName(value);
  if (unknown === true || items !== undefined) return undefined;
  const isInList = path.at(-2) === 'type';
  if (isInList && types.length !== 1) return undefined;
  if (types.length === 0)
    return { text: 'leave "type" out, which allows any', edits: [{ path, value: undefined }] };
  const written = types.length === 1 ? types[0] : [...types];
  // A list that would name a type twice becomes the shorter list.
  if (isInList) {
    const list = valueAt(root, path.slice(0, -1));
    if (Array.isArray(list) && list.includes(written)) return undefined;
  }
  return { text: `write ${JSON.stringify(written)}`, edits: [{ path, value: written }] };
}

/** `required: true` inside a property belongs to the object around it. */
function requiredRepair(root: unknown, pointer: string, value: unknown): Repair | undefined {
  const keys = pathKeys(root, pointer);
  if (typeof value === 'string') return { text: 'make it a list', edits: [{ path: keys, value: [value] }] };
  if (typeof value !== 'boolean' || keys.at(-3) !== 'properties') return undefined;
  const name = keys.at(-2);
  const parentPath = keys.slice(0, -3);
  const parent = valueAt(root, parentPath);
  if (!isRecord(parent) || typeof name !== 'string') return undefined;
  const removed: JsonEdit = { path: keys, value: undefined };
  if (!value) return { text: 'leave the key out', edits: [removed] };
  const listed = Array.isArray(parent.required) ? parent.required : [];
  if (parent.required !== undefined && !Array.isArray(parent.required)) return undefined;
  const required = listed.includes(name) ? listed : [...listed, name];
  return {
    text: `list "${name.slice(0, 100)}" in "required" of the object around it`,
    edits: [removed, { path: [...parentPath, 'required'], value: required }],
  };
}

function repeatedRepair(root: unknown, keys: readonly (string | number)[]): Repair | undefined {
  const listPath = keys.slice(0, -1);
  const list = valueAt(root, listPath);
  if (!Array.isArray(list)) return undefined;
  return { text: 'name it once', edits: [{ path: listPath, value: [...new Set(list)] }] };
}

function nullableRepair(
  root: unknown,
  keys: readonly (string | number)[],
  value: unknown,
): Repair | undefined {
  const around = valueAt(root, keys.slice(0, -1));
  if (value !== true || !isRecord(around) || !TYPES.some((type) => type === around.type)) return undefined;
  if (['enum', 'const', 'anyOf', 'oneOf', '$ref'].some((keyword) => keyword in around)) return undefined;
  return {
    text: 'name "null" among the types',
    edits: [
      { path: [...keys.slice(0, -1), 'type'], value: [around.type, 'null'] },
      { path: keys, value: undefined },
    ],
  };
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    root,
  );
}
