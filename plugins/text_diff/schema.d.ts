// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The old text.
 */
before: string
/**
 * The new text.
 */
after: string
/**
 * lines: a unified diff. words: the text with [-removed-] and {+added+} words, good for prose.
 */
by?: ("lines" | "words")
/**
 * Unchanged lines around each change. Only with by: lines.
 */
context?: number
/**
 * Treat texts that differ only in spaces, tabs and indentation as equal.
 */
ignoreWhitespace?: boolean
/**
 * Name shown for the old text.
 */
beforeName?: string
/**
 * Name shown for the new text.
 */
afterName?: string
}
export type Result = string

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
