// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The expression, e.g. "sqrt(2) * 10^3". Write numbers without thousands separators.
 */
expression: string
/**
 * Values for names that the expression uses, e.g. {"rate": 0.035}.
 */
variables?: {
[k: string]: number
}
/**
 * Significant digits of a result that is not a whole number.
 */
digits?: number
}
/**
 * A number; a string of digits where a number would lose some; true or false for a comparison.
 */
export type Result = (number | string | boolean)

/** The second argument of the plugin's function. */
export interface Context {
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
  /** The caller's session, if it has one. */
  readonly session: string | undefined;
  /** Tells the caller how far the work is. */
  progress(value: unknown): void;
  readonly log: {
    debug(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  };
  readonly tools: { call(name: string, args?: unknown): Promise<unknown> };
  readonly storage: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<boolean>;
    keys(prefix?: string): Promise<string[]>;
  };
}
