import { RE2JS } from 're2js';
import { PatternReader } from './pattern-reader.ts';
import { PatternRefused } from './pattern-refused.ts';

/** A pattern that runs in time linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of the compiled program: the factor of the running time. */
  readonly size: number;
  /** What it costs to compile, in about the same unit. */
  readonly weight: number;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: LinearPattern }
  /** `reason` completes "the pattern …". */
  | { readonly ok: false; readonly reason: string };

/** Characters; the longest pattern in 966 real tools has 153. */
export const MAX_PATTERN_LENGTH = 4_096;
/** Compiling is slower than matching, and each pattern is asked for by the reader and by the engines. */
const MAX_KEPT = 1_000;
const kept = new Map<string, CompiledPattern>();

/**
 * Compiles an ECMAScript pattern to RE2, which never backtracks, so no text can make it hang.
 *
 * What is written differently there but means the same is translated: `\s`, `.`, `\uXXXX`, `\p{Script=Han}`, named
 * groups, escapes that only the older syntax allows, counts above 1000, look-aheads that stand right after the first
 * `^` and look-behinds right before the last `$` (both become further patterns, of which all must hold).
 * What can't be matched in linear time (other look-arounds, back-references) is refused with the reason: running it as
 * written could hang the host, and leaving it out would let through what the schema's author forbids.
 * The refusal is the same for everybody's tools, so that a tool doesn't change its meaning with its trust.
 */
export function compilePattern(source: string): CompiledPattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { ok: false, reason: `is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  const known = kept.get(source);
  if (known) return known;
  const compiled = compile(source);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(source, compiled);
  return compiled;
}

function compile(source: string): CompiledPattern {
  try {
    const { clauses, weight, length } = new PatternReader(source).read();
    const programs = clauses.map(({ text, holds }) => ({ program: RE2JS.compile(text), holds }));
    const size = programs.reduce((sum, { program }) => sum + program.programSize(), 0);
    const test = (text: string): boolean =>
      (length === undefined || within(text, length)) &&
      programs.every(({ program, holds }) => program.test(text) === holds);
    return { ok: true, pattern: { size, weight, test } };
  } catch (error) {
    if (error instanceof PatternRefused) return { ok: false, reason: error.message };
    return { ok: false, reason: describeEngineError(error) };
  }
}

function within(text: string, { minimum, maximum }: { minimum: number; maximum: number }): boolean {
  // Between them a text has from half as many to as many characters as code units.
  if (text.length < minimum || text.length / 2 > maximum) return false;
  let characters = 0;
  for (const _ of text) characters++;
  return characters >= minimum && characters <= maximum;
}

function describeEngineError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/repeat/i.test(text))
    return 'repeats a part more than 1000 times in all; use minLength and maxLength instead';
  return `is not a valid regular expression (${text.replace(/^error parsing regexp: /, '').slice(0, 120)})`;
}
