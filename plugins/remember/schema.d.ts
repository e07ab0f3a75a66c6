// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * What to do.
 */
action: ("set" | "get" | "search" | "list" | "forget")
/**
 * Name of a note, for set, get and forget. Short words with slashes keep order: project/deadline.
 */
key?: string
/**
 * The note, for set.
 */
text?: string
/**
 * Words to find it by, for set.
 * 
 * @maxItems 10
 */
tags?: []|[string]|[string, string]|[string, string, string]|[string, string, string, string]|[string, string, string, string, string]|[string, string, string, string, string, string]|[string, string, string, string, string, string, string]|[string, string, string, string, string, string, string, string]|[string, string, string, string, string, string, string, string, string]|[string, string, string, string, string, string, string, string, string, string]
/**
 * Words to look for, for search; a note that holds more of them comes first.
 */
query?: string
/**
 * For list and search: only keys that begin so.
 */
prefix?: string
/**
 * Notes to return at most, for list and search; 20 when absent.
 */
limit?: number
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
