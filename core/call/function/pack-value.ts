export type PackedValue =
  | { readonly kind: 'value'; readonly json: string | undefined }
  | { readonly kind: 'unserialisable'; readonly message: string; readonly path: string };

/**
 * JSON with the same stand-ins as a plugin's results have behind the wall: BigInt and non-finite numbers as text, Map
 * as an object (as pairs where a key is no string), Set as an array, Error as name and message, bytes as base64.
 */
export function packValue(value: unknown): PackedValue {
  if (typeof value === 'function' || typeof value === 'symbol') {
    return { kind: 'unserialisable', message: `a ${typeof value} is no JSON value`, path: '' };
  }
  try {
    // A `toJSON` of a plain function value would see nothing of this: JSON.stringify may still give undefined.
    const json: string | undefined = JSON.stringify(value, standIn);
    return { kind: 'value', json };
  } catch (error) {
    return { kind: 'unserialisable', ...explain(value, error) };
  }
}

// `this` is the holder; its member is read again because JSON.stringify has already called toJSON of a Buffer.
function standIn(this: unknown, key: string, converted: unknown): unknown {
  if (typeof converted === 'bigint') return String(converted);
  if (typeof converted === 'number') return Number.isFinite(converted) ? converted : String(converted);
  if (typeof converted !== 'object' || converted === null) return converted;
  const original = (this as Record<string, unknown>)[key]; // JSON.stringify's own holder
  if (ArrayBuffer.isView(original))
    return Buffer.from(original.buffer, original.byteOffset, original.byteLength).toString('base64');
  if (converted instanceof ArrayBuffer) return Buffer.from(converted).toString('base64');
  if (converted instanceof Map) return fromMap(converted);
  if (converted instanceof Set) return [...converted];
  if (converted instanceof Error) return { name: converted.name, message: converted.message };
  if (opaqueTag(converted) !== undefined) throw new TypeError(OPAQUE);
  return converted;
}

/** `Promise`, `Response`, `WeakMap`...: what they hold is not in their keys, and `{}` would be a lie about it. */
function opaqueTag(value: object): string | undefined {
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]; // any key may be read
  return typeof tag === 'string' && tag !== '' && Object.keys(value).length === 0 ? tag : undefined;
}

function fromMap(map: ReadonlyMap<unknown, unknown>): unknown {
  const entries = [...map];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

const CYCLE = 'it refers back to itself';
const UNREADABLE = 'reading it failed (a getter, a proxy or toJSON threw)';
const OPAQUE = 'has no form in JSON';
const MAX_SEARCH_DEPTH = 64;

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
function findTrouble(
  value: unknown,
  above: readonly unknown[],
  key: string,
  path: string,
): Trouble | undefined {
  if (typeof value !== 'object' || value === null || above.length > MAX_SEARCH_DEPTH) return undefined;
  if (above.includes(value)) return { message: CYCLE, path };
  try {
    return findWithin(written(value, key), [...above, value], path);
  } catch {
    return { message: UNREADABLE, path };
  }
}

function findWithin(value: unknown, above: readonly unknown[], path: string): Trouble | undefined {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  if (value instanceof Map) return findTrouble(fromMap(value), above, '', path);
  if (value instanceof Set) return findTrouble([...value], above, '', path);
  const tag = Array.isArray(value) || value instanceof ArrayBuffer ? undefined : opaqueTag(value);
  if (tag !== undefined) return { message: opaqueText(tag), path };
  for (const name of Object.keys(value)) {
    const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    const found = findMember(value, name, above, path + step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findMember(
  holder: object,
  name: string,
  above: readonly unknown[],
  path: string,
): Trouble | undefined {
  let member: unknown;
  try {
    member = (holder as Readonly<Record<string, unknown>>)[name]; // an own key
  } catch {
    return { message: UNREADABLE, path };
  }
  return findTrouble(member, above, name, path);
}

function opaqueText(tag: string): string {
  return tag === 'Promise' ? 'a promise that was not awaited' : `a ${tag.slice(0, 60)} ${OPAQUE}`;
}

/** What `toJSON` makes of it, as JSON.stringify would ask. */
function written(value: object, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown }; // any key may be read
  return typeof toJSON === 'function' ? (toJSON as (key: string) => unknown).call(value, key) : value;
}
