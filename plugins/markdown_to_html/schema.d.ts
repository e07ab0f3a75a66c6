// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The Markdown text.
 */
markdown: string
/**
 * What becomes of HTML tags written in the Markdown: shown as text, or left out.
 */
rawHtml?: ("escape" | "remove")
/**
 * Turn each single line break into <br>.
 */
breaks?: boolean
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
