// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * e.g. workspace/notes.md
 */
path: string
/**
 * create: only if there is no such file. overwrite: replaces all. append: adds at the end, makes the file if need be. edit: applies "edits".
 */
mode?: ("create" | "overwrite" | "append" | "edit")
/**
 * The text, for every mode but edit. End it with a line break.
 */
content?: string
/**
 * For mode edit: applied one after the other; if one does not fit, the file is left as it was.
 * 
 * @minItems 1
 * @maxItems 50
 */
edits?: [{
/**
 * The text to replace, exactly as it stands in the file, with enough around it to be unique.
 */
find: string
/**
 * What to put there; "" deletes.
 */
replace: string
/**
 * Replace every occurrence.
 */
all?: boolean
}, ...({
/**
 * The text to replace, exactly as it stands in the file, with enough around it to be unique.
 */
find: string
/**
 * What to put there; "" deletes.
 */
replace: string
/**
 * Replace every occurrence.
 */
all?: boolean
})[]]
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
