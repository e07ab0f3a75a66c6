/** Every way in which a call can fail. A retired code is never reused. */
export type ErrorCode =
  | 'unknown_tool'
  | 'malformed_arguments'
  | 'truncated_arguments'
  | 'invalid_arguments'
  | 'not_approved'
  | 'permission_denied'
  | 'tool_error'
  | 'not_found'
  | 'invalid_result'
  | 'timeout'
  | 'cpu_limit'
  | 'memory_limit'
  | 'output_limit'
  | 'host_call_limit'
  | 'cancelled'
  | 'busy'
  | 'plugin_unavailable'
  | 'quarantined'
  | 'sandbox_crashed'
  | 'internal';

/** Did the tool's code have effects? `did_not_run`: no. `failed`: it ran and failed. `unknown`: nobody can tell. */
export type Outcome = 'did_not_run' | 'failed' | 'unknown';

/** Is it worth calling again? `as_is`: the same call may work later. `after_change`: with other arguments. */
export type Retry = 'never' | 'after_change' | 'as_is';

/** One thing wrong with the arguments (or with a result that is held against `returns`). */
export interface Issue {
  /** Where, as a model would write it: `filters[2].name`; empty for the whole value. */
  readonly path: string;
  /** The JSON Schema keyword that was broken, or `json` for text that is no JSON. */
  readonly keyword: string;
  /** One sentence, complete in itself. */
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  readonly allowed?: readonly unknown[];
  readonly suggestion?: string;
}

export interface ToolError {
  readonly code: ErrorCode;
  /** What happened, in plain words; no host path, stack or secret. */
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  readonly outcome: Outcome;
  readonly retry: Retry;
  /** From the third failure of exactly this call on: how many there were. */
  readonly repeats?: number;
}

/** A change made to the arguments before validation, because the schema left one reading only. */
export interface Repair {
  readonly path: string;
  /** e.g. `parsed_json_string`, `numeral_to_number`, `dropped_null`, `double_encoded`, `empty_arguments`. */
  readonly kind: string;
  readonly message: string;
}

export interface Usage {
  /** From `host.call` to the answer, milliseconds. */
  readonly wallMs: number;
  /** The plugin's own running time, milliseconds. */
  readonly cpuMs: number;
  /**
   * Used heap of the isolate at the end of the call, bytes; of a warm context perhaps as it was 10 ms before; 0 where no
   * isolate ran.
   */
  readonly heapBytes: number;
  /** Time spent waiting for a free place, milliseconds. */
  readonly queuedMs: number;
  readonly hostCalls: number;
}

/** Parts beside the text, for targets that can show them. `data` is base64. */
export type ContentPart =
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'file'; readonly data: string; readonly mimeType: string; readonly name?: string };

interface ResultBase {
  readonly id?: string;
  /** What the model reads: always present, always bounded. */
  readonly content: string;
  readonly tool: { readonly name: string; readonly version?: string };
  readonly repairs?: readonly Repair[];
  readonly usage: Usage;
}

export interface CallSuccess extends ResultBase {
  readonly ok: true;
  readonly value?: unknown;
  readonly parts?: readonly ContentPart[];
  /** Present when `content` was cut: the whole length in characters and the handle for `read_more`. */
  readonly truncated?: { readonly totalChars: number; readonly handle?: string };
}

export interface CallFailure extends ResultBase {
  readonly ok: false;
  readonly error: ToolError;
}

export type CallResult = CallSuccess | CallFailure;
