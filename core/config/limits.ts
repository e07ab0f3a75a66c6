/**
 * What one call may use. Every field is enforced; going past one ends the call with that limit's own error code.
 * Defaults come from {@link DEFAULT_LIMITS}, then the config's `limits`, then the plugin's own `limits`,
 * each cut at the config's `ceilings`.
 */
export interface Limits {
  /** Wall time of one call in milliseconds, waiting included (`timeout`). @defaultValue 5000 */
  readonly timeoutMs: number;
  /** Time that the plugin's own code may run, in milliseconds; waiting on the host is free (`cpu_limit`). @defaultValue 1000 */
  readonly cpuMs: number;
  /** Heap of the isolate in MiB (`memory_limit`). @defaultValue 64 */
  readonly memoryMb: number;
  /** Characters of `content` that the model reads; the rest waits behind `read_more`. @defaultValue 4000 */
  readonly resultChars: number;
  /** Bytes of the packed result that may leave the worker (`output_limit`). @defaultValue 1048576 */
  readonly resultBytes: number;
  /** Bytes that one call may log, `console` included (`output_limit`). @defaultValue 65536 */
  readonly logBytes: number;
  /** Calls to the host (capabilities, tools, storage) that one call may make (`host_call_limit`). @defaultValue 1000 */
  readonly hostCalls: number;
  /** Calls of one plugin that run at the same time; more wait in its queue. @defaultValue 8 */
  readonly concurrency: number;
  /** Calls of one plugin that may wait; one more is answered `busy`. @defaultValue 64 */
  readonly queue: number;
}

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 5_000,
  cpuMs: 1_000,
  memoryMb: 64,
  resultChars: 4_000,
  resultBytes: 1_048_576,
  logBytes: 65_536,
  hostCalls: 1_000,
  concurrency: 8,
  queue: 64,
};

/** Less than this is no limit but a mistake. */
export const LEAST_LIMITS: Limits = {
  timeoutMs: 1,
  cpuMs: 1,
  memoryMb: 8,
  resultChars: 200,
  resultBytes: 1_024,
  logBytes: 0,
  hostCalls: 0,
  concurrency: 1,
  queue: 0,
};

export const DEFAULT_CEILINGS: Limits = {
  timeoutMs: 120_000,
  cpuMs: 30_000,
  memoryMb: 512,
  resultChars: 100_000,
  resultBytes: 8_388_608,
  logBytes: 1_048_576,
  hostCalls: 10_000,
  concurrency: 64,
  queue: 1_024,
};
