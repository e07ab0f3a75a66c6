// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The whole address, with https:// or http://.
 */
url: string
/**
 * The HTTP method. GET, HEAD and OPTIONS take no body.
 */
method?: ("GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE")
/**
 * Parameters to add to the address, encoded for you; a list repeats its name.
 */
query?: {
[k: string]: string | number | boolean | (string | number | boolean)[]
}
/**
 * Request headers. Accept and Content-Type are set to JSON unless given.
 */
headers?: {
[k: string]: string
}
/**
 * The JSON value to send. A string is sent as it is when a header sets another Content-Type.
 */
body?: ({

} | unknown[] | string | number | boolean | null)
/**
 * Characters of a body that is no JSON to return at most.
 */
maxChars?: number
}
export interface Result {
status: number
ok: boolean
statusText?: string
url?: string
headers: {
[k: string]: string
}
body?: unknown
text?: string
notes?: string[]
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
