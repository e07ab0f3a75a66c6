// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The delimited text.
 */
text: string
/**
 * e.g. ",", ";" or "\t". Found out when absent.
 */
delimiter?: string
/**
 * The first row holds the column names; rows become objects. Without: rows are lists.
 */
header?: boolean
/**
 * Turn numerals and true/false into values, and empty cells into null.
 */
types?: boolean
/**
 * Only these columns, in this order. Needs a header.
 * 
 * @minItems 1
 */
columns?: [string, ...(string)[]]
/**
 * Rows to skip.
 */
offset?: number
/**
 * Rows to return at most; total says how many there are.
 */
limit?: number
}
export interface Result {
columns?: string[]
rows: ({

} | unknown[])[]
total: number
delimiter: string
problems?: string[]
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
