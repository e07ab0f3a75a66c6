import { isRecord, ownValue } from '../schema/pointer.ts';
/** Parameters of a host call: parsed JSON from hostile code. Only own properties are read. */
export type Params = Readonly<Record<string, unknown>>;

/** Thrown by the readers below, caught by the broker alone: the one place where a wrong shape ends. */
export class ParameterError extends Error {}

const DEEPEST_JSON = 1_000;

/** The parameters, or undefined where the text is no JSON object. */
export function parseParams(json: string): Params | undefined {
  try {
    const value: unknown = JSON.parse(json);
    // Checked: a JSON object has string keys and unknown values.
    return isRecord(value) ? (value as Params) : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(params: Params, name: string, longest: number): string {
  const value = ownValue(params, name);
  if (typeof value !== 'string') throw new ParameterError(`${name} must be a string`);
  if (value.length > longest) throw new ParameterError(`${name} is longer than ${longest} characters`);
  return value;
}

export function optionalTextOf(params: Params, name: string, longest: number): string | undefined {
  const value = ownValue(params, name);
  return value === undefined || value === null ? undefined : textOf(params, name, longest);
}

export function flagOf(params: Params, name: string): boolean {
  const value = ownValue(params, name);
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new ParameterError(`${name} must be a boolean`);
  return value;
}

export function integerOf(params: Params, name: string, fallback: number, greatest: number): number {
  const value = ownValue(params, name);
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > greatest) {
    throw new ParameterError(`${name} must be an integer from 0 to ${greatest}`);
  }
  return value;
}

/** A list of pairs of strings, as headers travel. */
export function pairsOf(params: Params, name: string): readonly (readonly [string, string])[] {
  const value = ownValue(params, name);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ParameterError(`${name} must be a list of pairs`);
  return value.map((pair: unknown) => {
    if (
      !Array.isArray(pair) ||
      pair.length !== 2 ||
      typeof pair[0] !== 'string' ||
      typeof pair[1] !== 'string'
    ) {
      throw new ParameterError(`${name} must be a list of pairs of strings`);
    }
    return [pair[0], pair[1]] as const;
  });
}

/** Bytes, or undefined where there are none. */
export function base64Of(
  params: Params,
  name: string,
  mostBytes: number,
): Uint8Array | undefined | 'too_large' {
  const value = ownValue(params, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ParameterError(`${name} must be base64 text`);
  if (value.length > Math.ceil(mostBytes / 3) * 4) return 'too_large';
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) throw new ParameterError(`${name} must be base64 text`);
  const bytes = Buffer.from(value, 'base64');
  return bytes.length > mostBytes ? 'too_large' : bytes;
}

/** Any JSON value that is not nested beyond reason. */
export function jsonOf(params: Params, name: string): unknown {
  const value = ownValue(params, name);
  if (deeperThan(value, DEEPEST_JSON)) throw new ParameterError(`${name} is nested too deeply`);
  return value;
}

function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
    );
  }
  return false;
}
