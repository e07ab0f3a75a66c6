import { isExactNumber } from './scan-json.ts';

/**
 * JSON that keeps every digit: an integer that a double can't hold becomes a `bigint`, and is written back as the
 * digits that it came with. Everything else is what `JSON.parse` gives.
 */
export type ExactJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

export type ExactObject = { readonly [key: string]: ExactJson };

// ECMAScript's "JSON.parse source text access": in Node 24, not yet in TypeScript's ES2024 library.
interface SourceAccess {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const sourceAccess = JSON as unknown as SourceAccess;

/** Reads text that `scanJson` found complete; the scan also says whether exactness is at stake. */
export function parseExact(text: string, hasInexactNumber: boolean): ExactJson {
  if (!hasInexactNumber) return JSON.parse(text) as ExactJson; // JSON.parse makes nothing else
  const exact = sourceAccess.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && Number.isFinite(value) && !isExactNumber(source)
      ? BigInt(source)
      : value,
  );
  return exact as ExactJson; // primitives of JSON, and the bigints from above
}

/** Writes the value back, big integers as their digits. `space` as for `JSON.stringify`. */
export function writeExact(value: ExactJson, space?: number): string {
  try {
    // Several times as fast as with a function in between; throws at the first big integer.
    return JSON.stringify(value, undefined, space);
  } catch {
    return JSON.stringify(
      value,
      (_key, member: unknown) => (typeof member === 'bigint' ? sourceAccess.rawJSON(String(member)) : member),
      space,
    );
  }
}

/** The same value as plain JSON (doubles only), which is what a validator understands. */
export function toPlainJson(value: ExactJson): unknown {
  // Nearly every value is plain already, and nobody who gets it changes it.
  return holdsBigInt(value) ? inDoubles(value) : value;
}

function holdsBigInt(value: ExactJson): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(holdsBigInt);
}

function inDoubles(value: ExactJson): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inDoubles);
  // fromEntries defines own properties, so that a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inDoubles(member)]));
}

/** The first place that holds a number past the largest double (`1e999`), which JSON.parse reads as Infinity. */
export function findInfinity(
  value: ExactJson,
  path: readonly (string | number)[] = [],
): readonly (string | number)[] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = findInfinity(member, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
