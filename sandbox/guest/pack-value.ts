import {
  create,
  eachOfMap,
  eachOfSet,
  isArray,
  isView,
  NativeArrayBuffer,
  NativeError,
  NativeMap,
  NativeSet,
  NativeUint8Array,
  ownKeys,
  setOwn,
  stringify,
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
  return value;
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

function explain(value: unknown, error: unknown): { message: string; path: string } {
  const cycle = findCycle(value, [], '');
  if (cycle !== undefined) return { message: 'it refers back to itself', path: cycle };
  if (error instanceof RangeError)
    return { message: 'it is nested too deeply or too long to be written as JSON', path: '' };
  return { message: 'reading it failed (a getter, a proxy or toJSON threw)', path: '' };
}

function findCycle(value: unknown, above: unknown[], path: string): string | undefined {
  if (typeof value !== 'object' || value === null || above.length >= MAX_SEARCH_DEPTH) return undefined;
  for (let index = 0; index < above.length; index += 1) if (above[index] === value) return path;
  setOwn(above, above.length, value);
  try {
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length && index < 1_000; index += 1) {
      const key = keys[index];
      if (typeof key !== 'string' || (isArray(value) && key === 'length')) continue;
      const step = isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
      const found = findCycle((value as Record<string, unknown>)[key], above, path + step); // an own key
      if (found !== undefined) return found;
    }
  } catch {
    return undefined;
  } finally {
    above.length -= 1;
  }
  return undefined;
}
