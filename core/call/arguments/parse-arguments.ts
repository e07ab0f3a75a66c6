import { type ExactJson, type ExactObject, findInfinity, parseExact, writeExact } from './exact-json.ts';
import type { FoundRepair, Path } from './repair-arguments.ts';
import { type JsonExpectation, scanJson } from './scan-json.ts';
import { type JsonType, typeOfJson } from './schema-view.ts';

/** Characters of arguments that are read at all; a longer text is refused unread. */
export const MAX_ARGUMENT_CHARS = 4 * 1024 * 1024;
/** Nesting of objects and arrays that is accepted in arguments. */
export const MAX_ARGUMENT_DEPTH = 128;

/** Right as JSON, yet nothing that can be arguments. */
export type ArgumentProblem =
  | { readonly kind: 'not_an_object'; readonly received: JsonType }
  | { readonly kind: 'encoded_again' }
  | { readonly kind: 'too_long'; readonly limit: number }
  | { readonly kind: 'too_deep'; readonly limit: number }
  | { readonly kind: 'duplicate_key'; readonly key: string }
  | { readonly kind: 'forbidden_key'; readonly path: Path }
  | { readonly kind: 'number_too_large'; readonly path: Path }
  | { readonly kind: 'not_json'; readonly path: Path };

export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly expected: JsonExpectation;
  /** The text found there, a few characters; empty at the end. */
  readonly found: string;
}

export type ParsedArguments =
  | {
      readonly kind: 'object';
      readonly value: ExactObject;
      readonly text: string;
      readonly repairs: readonly FoundRepair[];
    }
  | { readonly kind: 'cut' }
  | { readonly kind: 'malformed'; readonly problem: JsonProblem }
  | { readonly kind: 'wrong'; readonly problem: ArgumentProblem };

/** What the providers call "the answer hit the token limit". */
const CUT_REASONS = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
]);

/** Did the model stop for want of tokens, in the words of any provider? */
export function isCutReason(finishReason: string | undefined): boolean {
  return finishReason !== undefined && CUT_REASONS.has(finishReason.toLowerCase());
}

/**
 * Makes an object of what came as arguments: the raw text that a model wrote, or a value. A text that is cut off is
 * never completed, whatever the finish reason says.
 */
export function parseArguments(input: unknown, finishReason?: string): ParsedArguments {
  const parsed = typeof input === 'string' ? parseText(input) : parseValue(input);
  const stoppedEarly = isCutReason(finishReason);
  // A closed object is whole, even when the model was stopped later, in its next call.
  if (
    stoppedEarly &&
    (parsed.kind !== 'object' || parsed.repairs.some(({ kind }) => kind === 'empty_arguments'))
  ) {
    return { kind: 'cut' };
  }
  return parsed;
}

function parseText(text: string): ParsedArguments {
  if (text.length > MAX_ARGUMENT_CHARS)
    return { kind: 'wrong', problem: { kind: 'too_long', limit: MAX_ARGUMENT_CHARS } };
  const read = readJson(text);
  if (read.kind !== 'value') return read;
  if (typeof read.value === 'string') return parseInnerText(read.value);
  return asObject(read.value, text, []);
}

/** The text is a JSON string: one encoding too many is undone, a second one is not. */
function parseInnerText(text: string): ParsedArguments {
  const start = text.trimStart()[0];
  if (start !== undefined && !'{n"'.includes(start)) return notAnObject('string');
  const read = readJson(text);
  if ((read.kind === 'malformed' || read.kind === 'cut') && start !== '{') return notAnObject('string');
  if (read.kind !== 'value') return read;
  if (typeof read.value === 'string') return { kind: 'wrong', problem: { kind: 'encoded_again' } };
  return asObject(read.value, text, [{ path: [], kind: 'double_encoded' }]);
}

function parseValue(input: unknown): ParsedArguments {
  if (input === undefined) return noArguments();
  const written = writeInput(input);
  return typeof written === 'string' ? parseText(written) : { kind: 'wrong', problem: written };
}

/** A copy by way of JSON: the caller's object is never changed, and holds nothing that JSON can't say. */
function writeInput(input: unknown): string | ArgumentProblem {
  try {
    const text: string | undefined = writeExact(input as ExactJson); // whatever it is, JSON.stringify decides
    if (text === undefined) return { kind: 'not_json', path: [] };
    const lost = typeof input === 'object' ? findLost(input, [], 0) : undefined;
    return lost === undefined ? text : { kind: 'not_json', path: lost };
  } catch {
    return { kind: 'not_json', path: [] };
  }
}

/** The first thing that JSON would leave out or turn into something else: what was given would not be what runs. */
function findLost(value: unknown, path: Path, depth: number): Path | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value === 'function' || typeof value === 'symbol') return path;
  if (typeof value !== 'object' || value === null || depth > MAX_ARGUMENT_DEPTH) return undefined;
  if (value instanceof Map || value instanceof Set) return path;
  for (const [key, member] of Object.entries(value)) {
    const found = findLost(member, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

type ReadJson =
  | Exclude<ParsedArguments, { kind: 'object' }>
  | { readonly kind: 'value'; readonly value: ExactJson };

function readJson(text: string): ReadJson {
  if (text.trim() === '') return { kind: 'value', value: null };
  const scan = scanJson(text);
  if (scan.kind === 'cut') return scan;
  if (scan.kind === 'malformed')
    return { kind: 'malformed', problem: locate(text, scan.index, scan.expected) };
  const { depth, duplicateKey, hasInexactNumber } = scan.facts;
  if (depth > MAX_ARGUMENT_DEPTH)
    return { kind: 'wrong', problem: { kind: 'too_deep', limit: MAX_ARGUMENT_DEPTH } };
  if (duplicateKey !== undefined)
    return { kind: 'wrong', problem: { kind: 'duplicate_key', key: duplicateKey } };
  const value = parseExact(text, hasInexactNumber);
  const infinite = hasInexactNumber ? findInfinity(value) : undefined;
  if (infinite !== undefined) return { kind: 'wrong', problem: { kind: 'number_too_large', path: infinite } };
  return { kind: 'value', value };
}

function asObject(value: ExactJson, text: string, repairs: readonly FoundRepair[]): ParsedArguments {
  if (value === null) return noArguments();
  if (typeof value !== 'object' || Array.isArray(value)) return notAnObject(typeOfJson(value) ?? 'object');
  const object = value as ExactObject; // neither null nor array
  // In JSON the name can stand for itself or be written with escapes.
  const forbidden = /__proto__|\\u/.test(text) ? findPrototypeKey(object, []) : undefined;
  if (forbidden !== undefined) return { kind: 'wrong', problem: { kind: 'forbidden_key', path: forbidden } };
  return { kind: 'object', value: object, text, repairs };
}

/** `__proto__` is harmless in JSON and a trap in every `target[key] = value` behind it; no tool means it. */
export function findPrototypeKey(value: ExactJson, path: Path): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    const found = key === '__proto__' ? here : findPrototypeKey(member, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function noArguments(): ParsedArguments {
  return { kind: 'object', value: {}, text: '{}', repairs: [{ path: [], kind: 'empty_arguments' }] };
}

function notAnObject(received: JsonType): ParsedArguments {
  return { kind: 'wrong', problem: { kind: 'not_an_object', received } };
}

function locate(text: string, index: number, expected: JsonExpectation): JsonProblem {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  const found = [...text.slice(index, index + 24)].slice(0, 12).join('');
  return { line: before.split('\n').length, column: index - lineStart + 1, expected, found };
}
