import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/cases/schemas');

/** The corpora are third-party data that the project does not hold; where they are not, their tests say so and skip. */
export const HAS_CORPUS = existsSync(path.join(FOLDER, 'real-tools.jsonl'));
export const CORPUS_NOTE = HAS_CORPUS
  ? ''
  : ' (skipped: the corpus of real tools is not beside this checkout)';

function lines(file: string): unknown[] {
  if (!HAS_CORPUS) return [];
  return readFileSync(path.join(FOLDER, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export interface RealTool {
  readonly source: string;
  readonly name: string;
  readonly parameters?: unknown;
}

export interface RealCalls {
  readonly functions: readonly { readonly name: string; readonly parameters: unknown }[];
  readonly accepted_calls: readonly Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>[];
}

export const realTools = (): RealTool[] => lines('real-tools.jsonl') as RealTool[]; // the corpus' own form
export const realCalls = (): RealCalls[] => lines('real-calls.jsonl') as RealCalls[]; // as above

/** One accepted way of making a call: the first value of each argument, those that may be left out left out. */
export function firstAccepted(
  call: Readonly<Record<string, readonly unknown[]>>,
  required: readonly string[],
): Record<string, unknown> {
  const entries = Object.entries(call).filter(
    ([name, values]) => required.includes(name) || !values.includes(''),
  );
  return Object.fromEntries(
    entries.map(([name, values]) => [name, firstOf(values.find((value) => value !== ''))]),
  );
}

/** Nested objects list the accepted values of each of their keys too. */
function firstOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      firstOf(Array.isArray(inner) ? (inner.find((item) => item !== '') ?? inner[0]) : inner),
    ]),
  );
}
