// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The address, with https:// (assumed when absent) or http://.
 */
url: string
/**
 * main: the article or the body of the page, without menus, sidebars and footers. full: all of it, good for overview pages and for what main left out.
 */
content?: ("main" | "full")
/**
 * Keep the addresses of links. false saves room when only the text matters.
 */
links?: boolean
/**
 * Characters of the page's text to return at most.
 */
maxChars?: number
/**
 * Where to begin in the page's text, in characters; from the end of an earlier part.
 */
start?: number
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
