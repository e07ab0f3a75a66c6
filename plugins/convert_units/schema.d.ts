// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The amount in `from` units.
 */
value: number
/**
 * Unit to convert from, e.g. "mi", "°F", "kg/m^3", "GiB".
 */
from: string
/**
 * Unit to convert to, of the same kind.
 */
to: string
/**
 * Significant digits of the result.
 */
digits?: number
}
export interface Result {
value: number
unit: string
note?: string
}

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
