import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Issue } from '../call/result.ts';
import type { Locale } from '../config/config.ts';
import type { JsonSchema } from '../plugin/manifest.ts';
import { Budget, BudgetSpent, DETAIL_STEPS, VALIDATION_STEPS } from './budget.ts';
import { probeCompile } from './compile-probe.ts';
import type { Dialect } from './dialect.ts';
import { compileSchema } from './engine.ts';
import { describeErrors, describeUncheckable, type Subject } from './issues.ts';
import { normaliseSchema } from './normalise.ts';
import type { Problem } from './problem.ts';

/** Holds values against one schema. */
export interface Validator {
  /**
   * What is wrong with a value, at most 20 issues; empty when nothing is. Never changes the value,
   * never throws, and ends in bounded time: a value that takes too many steps to check is itself an issue.
   */
  validate(value: unknown): Issue[];
  /** The schema as it is checked, quirks put right. */
  readonly schema: JsonSchema;
}

export interface ValidatorOptions {
  /** Language of the issues. @defaultValue 'en' */
  readonly locale?: Locale;
  /** What the value is, for the sentences. @defaultValue 'arguments' */
  readonly subject?: Subject;
}

export type CompiledValidator =
  | { readonly ok: true; readonly validator: Validator; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Schemas of up to this many values compile in about 10 ms, whatever is in them. */
const DIRECT_NODES = 500;

/**
 * Compiles a JSON Schema from anywhere, quirks and all. Takes about a millisecond for a usual one; a large one is first
 * compiled in a thread of its own with a deadline and a memory limit, so that it can't hold up the event loop.
 */
export async function compileValidator(
  schema: JsonSchema,
  options: ValidatorOptions = {},
): Promise<CompiledValidator> {
  const normalised = normaliseSchema(schema, { root: 'any' });
  if (!normalised.ok) return normalised;
  if (normalised.nodes > DIRECT_NODES) {
    const problem = await probeCompile(normalised.schema, normalised.dialect);
    if (problem) return { ok: false, problems: [problem] };
  }
  try {
    const validator = new SchemaValidator(normalised.schema, normalised.dialect, options);
    return { ok: true, validator, warnings: normalised.warnings };
  } catch (error) {
    return { ok: false, problems: [compileProblem(error)] };
  }
}

export function compileProblem(error: unknown): Problem {
  const reason =
    error instanceof RangeError ? 'it is nested too deeply' : error instanceof Error ? error.message : '';
  return { path: '', message: `the schema can't be compiled: ${reason.slice(0, 300)}` };
}

class SchemaValidator implements Validator {
  readonly schema: JsonSchema;
  readonly #dialect: Dialect;
  readonly #options: ValidatorOptions;
  readonly #budget = new Budget();
  readonly #verdict: ValidateFunction;
  #details: ValidateFunction | undefined;

  constructor(schema: JsonSchema, dialect: Dialect, options: ValidatorOptions) {
    this.schema = schema;
    this.#dialect = dialect;
    this.#options = options;
    this.#verdict = compileSchema(schema, dialect, 'verdict', this.#budget);
  }

  validate(value: unknown): Issue[] {
    const { locale = 'en', subject = 'arguments' } = this.#options;
    const context = { locale, subject, root: value, schema: this.schema };
    const checked = this.#run(this.#verdict, value, VALIDATION_STEPS);
    if (checked.kind === 'valid') return [];
    if (checked.kind === 'uncheckable') return [describeUncheckable(checked.reason, context)];
    const detailed = this.#run(this.#compileDetails(), value, DETAIL_STEPS);
    const issues = detailed.kind === 'invalid' ? describeErrors(detailed.errors, context) : [];
    // Its last error is the outermost: those before it may be of branches that weren't meant.
    return issues.length > 0 ? issues : describeErrors(checked.errors.slice(-1), context);
  }

  /** Compiled when something is first wrong; most tools never need it. */
  #compileDetails(): ValidateFunction {
    try {
      this.#details ??= compileSchema(this.schema, this.#dialect, 'details', this.#budget);
    } catch {
      // Its code is larger, so it may be too deep where the verdict's isn't: then the first error has to do.
      this.#details = this.#verdict;
    }
    return this.#details;
  }

  #run(check: ValidateFunction, value: unknown, steps: number): Checked {
    this.#budget.reset(steps);
    try {
      return check(value) ? { kind: 'valid' } : { kind: 'invalid', errors: check.errors ?? [] };
    } catch (error) {
      if (error instanceof BudgetSpent) return { kind: 'uncheckable', reason: 'large' };
      if (error instanceof RangeError) return { kind: 'uncheckable', reason: 'deep' };
      throw error;
    } finally {
      // Else the last wrong value would be kept for as long as the tool.
      check.errors = null;
    }
  }
}

type Checked =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly errors: readonly ErrorObject[] }
  | { readonly kind: 'uncheckable'; readonly reason: 'large' | 'deep' };
