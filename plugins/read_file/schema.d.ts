// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * e.g. workspace/notes.md
 */
path: string
/**
 * The first line to read, from 1 on. A negative one counts from the end: -20 gives the last 20 lines.
 */
from?: number
/**
 * How many lines to read at most.
 */
lines?: number
/**
 * Put the line number before each line. Leave it out where you want to copy text for an edit.
 */
numbers?: boolean
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
