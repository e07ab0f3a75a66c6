import { Ajv, type ErrorObject } from 'ajv';
import { closest, distance } from 'fastest-levenshtein';
import schema from '../../schemas/registry.config.schema.json' with { type: 'json' };
import type { ConfigInput } from './config.ts';
import type { JsonPath } from './json-text.ts';

/** One thing wrong with a config. */
export interface ConfigProblem {
  /** As one would write it in JavaScript: `plugins[0].trust`; empty for the whole file. */
  readonly path: string;
  /** One sentence without the path. */
  readonly message: string;
  readonly allowed?: readonly unknown[];
  readonly suggestion?: string;
  /** 1-based place in the file, where there is one. */
  readonly line?: number;
  readonly column?: number;
}

export interface FoundProblem extends ConfigProblem {
  readonly segments: JsonPath;
}

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true });
const validate = ajv.compile<ConfigInput>(schema);

/** Holds a value against the schema; a wrong one gives every problem, not only the first. */
export function checkConfig(value: unknown): { input: ConfigInput } | { problems: FoundProblem[] } {
  if (validate(value)) return { input: value };
  return { problems: (validate.errors ?? []).map((error) => toProblem(error, value)) };
}

function toProblem(error: ErrorObject, root: unknown): FoundProblem {
  const parent = segmentsOf(error.instancePath, root);
  const extra =
    error.keyword === 'additionalProperties' ? String(error.params.additionalProperty) : undefined;
  const segments = extra === undefined ? parent : [...parent, extra];
  return { path: printPath(segments), segments, ...explain(error, extra) };
}

function explain(error: ErrorObject, unknownKey: string | undefined): Omit<ConfigProblem, 'path'> {
  const { keyword, params, data } = error;
  if (unknownKey !== undefined) {
    // verbose: the schema object that holds the keyword
    const allowed = Object.keys(error.parentSchema?.properties ?? {});
    return withSuggestion('is not a known key', unknownKey, allowed);
  }
  switch (keyword) {
    case 'enum': {
      const allowed: unknown[] = params.allowedValues;
      const message = `must be one of ${allowed.map(show).join(', ')}, not ${show(data)}`;
      return withSuggestion(message, typeof data === 'string' ? data : '', allowed);
    }
    case 'type':
      return { message: `must be ${typeNames(params.type)}, not ${show(data)}` };
    case 'required':
      return { message: `lacks the key ${show(params.missingProperty)}` };
    case 'minimum':
      return { message: `must be at least ${params.limit}, not ${show(data)}` };
    case 'maximum':
      return { message: `must be at most ${params.limit}, not ${show(data)}` };
    case 'minLength':
      return { message: 'must not be empty' };
    case 'pattern':
      return { message: `must look like ${params.pattern}, not ${show(data)}` };
    default:
      return { message: error.message ?? `breaks the rule "${keyword}"` };
  }
}

function withSuggestion(
  message: string,
  given: string,
  allowed: readonly unknown[],
): Omit<ConfigProblem, 'path'> {
  const names = allowed.filter((name) => typeof name === 'string');
  const near = names.length > 0 ? closest(given, names) : undefined;
  const isNear =
    near !== undefined && distance(given.toLowerCase(), near.toLowerCase()) <= Math.max(2, near.length / 3);
  return { message, allowed, ...(isNear && given !== '' ? { suggestion: near } : {}) };
}

function typeNames(type: string | string[]): string {
  const article = (name: string) => (/^[aio]/.test(name) ? `an ${name}` : `a ${name}`);
  return [type].flat().map(article).join(' or ');
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function segmentsOf(pointer: string, root: unknown): (string | number)[] {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => {
      const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
      const segment = Array.isArray(value) ? Number(key) : key;
      value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
      return segment;
    });
}

export function printPath(segments: JsonPath): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[\w$-]+$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
}
