import {
  apply,
  create,
  cut,
  eachOfMap,
  eachOfSet,
  isArray,
  isView,
  keys,
  NativeArrayBuffer,
  NativeError,
  NativeMap,
  NativeSet,
  NativeTypeError,
  NativeUint8Array,
  setOwn,
  stringify,
  toStringTag,
} from './intrinsics.ts';

export type Packed =
  | { readonly form: 'value'; readonly text: string }
  | { readonly form: 'nothing' }
  | { readonly form: 'unserialisable'; readonly message: string; readonly path: string };

const MAX_SEARCH_DEPTH = 64;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * JSON, with a defined form for what JSON lacks: BigInt and non-finite numbers as text, Map as an object (or as pairs
 * where a key is no string), Set as an array, Error as name and message, bytes as base64.
 */
export function packValue(value: unknown): Packed {
  if (value === undefined || value === null) return { form: 'nothing' };
  if (typeof value === 'function' || typeof value === 'symbol') {
    return { form: 'unserialisable', message: `a ${typeof value} is no JSON value`, path: '' };
  }
  try {
    const text = stringify(value, standIn);
    return text === undefined ? { form: 'nothing' } : { form: 'value', text };
  } catch (error) {
    return { form: 'unserialisable', ...explain(value, error) };
  }
}

function standIn(_key: string, value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return `${value}`;
    case 'number':
      return value - value === 0 ? value : `${value}`;
    case 'object':
      return value === null || isArray(value) ? value : standInForObject(value);
    default:
      return value;
  }
}

function standInForObject(value: object): unknown {
  if (value instanceof NativeMap) return fromMap(value);
  if (value instanceof NativeSet) {
    const items: unknown[] = [];
    eachOfSet(value, (item) => setOwn(items, items.length, item));
    return items;
  }
  if (value instanceof NativeArrayBuffer) return base64(new NativeUint8Array(value));
  if (isView(value)) return base64(new NativeUint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof NativeError) return { name: value.name, message: value.message };
  if (opaqueTag(value) !== undefined) throw new NativeTypeError(OPAQUE);
  return value;
}

/** `Promise`, `Response`, `WeakMap`...: what they hold is not in their keys, and `{}` would be a lie about it. */
function opaqueTag(value: object): string | undefined {
  const tag: unknown = (value as Record<symbol, unknown>)[toStringTag]; // any key may be read
  return typeof tag === 'string' && tag !== '' && keys(value).length === 0 ? tag : undefined;
}

function fromMap(map: Map<unknown, unknown>): unknown {
  const object = create(null) as object; // null prototype on purpose
  const pairs: unknown[] = [];
  let named = true;
  eachOfMap(map, (item, key) => {
    if (typeof key === 'string') setOwn(object, key, item);
    else named = false;
    setOwn(pairs, pairs.length, [key, item]);
  });
  return named ? object : pairs;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [first, second, third] = [bytes[index] as number, bytes[index + 1], bytes[index + 2]]; // index < length
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += `${BASE64[bits >> 18]}${BASE64[(bits >> 12) & 63]}`;
    text += `${second === undefined ? '=' : BASE64[(bits >> 6) & 63]}${third === undefined ? '=' : BASE64[bits & 63]}`;
  }
  return text;
}

const CYCLE = 'it refers back to itself';
const UNREADABLE = 'reading it failed (a getter, a proxy or toJSON threw)';
const OPAQUE = 'has no form in JSON';

interface Trouble {
  readonly message: string;
  readonly path: string;
}

function explain(value: unknown, error: unknown): Trouble {
  const found = findTrouble(value, [], '', '');
  if (found !== undefined) return found;
  if (error instanceof RangeError)
    return { message: 'it is nested too deeply or too long to be written as JSON', path: '' };
  return { message: UNREADABLE, path: '' };
}

/** The first place that JSON.stringify could not get past, by walking as it does. */
function findTrouble(value: unknown, above: unknown[], key: string, path: string): Trouble | undefined {
  if (typeof value !== 'object' || value === null || above.length >= MAX_SEARCH_DEPTH) return undefined;
  for (let index = 0; index < above.length; index += 1) {
    if (above[index] === value) return { message: CYCLE, path };
  }
  setOwn(above, above.length, value);
  try {
    return findWithin(written(value, key), above, path);
  } catch {
    return { message: UNREADABLE, path };
  } finally {
    above.length -= 1;
  }
}

function findWithin(value: unknown, above: unknown[], path: string): Trouble | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof NativeMap || value instanceof NativeSet) {
    return findTrouble(standInForObject(value), above, '', path);
  }
  const tag = isArray(value) ? undefined : opaqueTag(value);
  if (tag !== undefined) return { message: opaqueText(tag), path };
  const names = keys(value);
  for (let index = 0; index < names.length && index < 1_000; index += 1) {
    const name = names[index] as string; // index < length
    const step = isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    const found = findMember(value, name, above, path + step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findMember(holder: object, name: string, above: unknown[], path: string): Trouble | undefined {
  let member: unknown;
  try {
    member = (holder as Record<string, unknown>)[name]; // an own key
  } catch {
    return { message: UNREADABLE, path };
  }
  return findTrouble(member, above, name, path);
}

function opaqueText(tag: string): string {
  return tag === 'Promise' ? 'a promise that was not awaited' : `a ${cut(tag, 60)} ${OPAQUE}`;
}

/** What `toJSON` makes of it, as JSON.stringify would ask. */
function written(value: object, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown }; // any key may be read
  return typeof toJSON === 'function' ? apply(toJSON as (key: string) => unknown, value, [key]) : value;
}
