// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * now: the time in timeZone. convert: date in toTimeZone. add, subtract: date and duration. difference: from date to end. info: facts about date.
 */
operation: ("now" | "convert" | "add" | "subtract" | "difference" | "info")
/**
 * ISO 8601, e.g. "2026-03-29", "2026-03-29T14:30", "2026-03-29T14:30Z", "2026-03-29T14:30+02:00". Needed by all but now.
 */
date?: string
/**
 * IANA zone such as "Europe/Berlin" or "Asia/Shanghai": where a time without an offset was read off a clock, and the zone of the answer.
 */
timeZone?: string
/**
 * IANA zone to convert to. Only with convert.
 */
toTimeZone?: string
/**
 * ISO 8601 duration for add and subtract, e.g. "P1M", "P2W", "PT36H", "P1DT12H", "-P3D".
 */
duration?: string
/**
 * The second moment, for difference.
 */
end?: string
/**
 * Largest unit of the difference. Default: years.
 */
largestUnit?: ("years" | "months" | "weeks" | "days" | "hours" | "minutes" | "seconds")
}
export interface Result {
[k: string]: unknown
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
