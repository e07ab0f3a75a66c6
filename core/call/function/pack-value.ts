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
  return converted;
}

function fromMap(map: ReadonlyMap<unknown, unknown>): unknown {
  const entries = [...map];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

function explain(value: unknown, error: unknown): { message: string; path: string } {
  const cycle = findCycle(value, [], '');
  if (cycle !== undefined) return { message: 'it refers back to itself', path: cycle };
  if (error instanceof RangeError)
    return { message: 'it is nested too deeply or too long to be written as JSON', path: '' };
  return { message: 'reading it failed (a getter or toJSON threw)', path: '' };
}

const MAX_SEARCH_DEPTH = 64;

function findCycle(value: unknown, above: readonly unknown[], path: string): string | undefined {
  if (typeof value !== 'object' || value === null || above.length > MAX_SEARCH_DEPTH) return undefined;
  if (above.includes(value)) return path;
  try {
    for (const [key, member] of Object.entries(value)) {
      const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
      const found = findCycle(member, [...above, value], path + step);
      if (found !== undefined) return found;
    }
  } catch {
    // A getter that throws: there is no cycle to be seen beyond it.
  }
  return undefined;
}
