// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * What a line must hold. Without it, files are listed.
 */
text?: string
/**
 * Read "text" as a regular expression.
 */
regex?: boolean
/**
 * Take capital and small letters for the same.
 */
ignoreCase?: boolean
/**
 * Which files: * within a name, ** across folders, ?, [a-z], {one,other}. Without a slash it is held against the file's name: *.md; with one against its path below "path": src/** /*.ts.
 */
glob?: string
/**
 * The folder to search.
 */
path?: string
/**
 * Lines to show before and after each match.
 */
context?: number
/**
 * Matching lines, or files, to return at most.
 */
maxResults?: number
/**
 * Also look into node_modules and into folders and files whose name begins with a dot.
 */
hidden?: boolean
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
