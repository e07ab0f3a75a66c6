import { createHash } from 'node:crypto';
import type { ErrorCode } from './result.ts';

export interface RepeatOptions {
  /** The failure of one call that first says that it is a repeat. @defaultValue 3 */
  readonly tellAt?: number;
  /** Failures after which the same call is not run any more; 0 for never. @defaultValue 10 */
  readonly stopAt?: number;
  /** How long a failure is remembered, milliseconds. @defaultValue 600000 */
  readonly ttlMs?: number;
}

export interface CallIdentity {
  readonly session: string | undefined;
  readonly tool: string;
  /** An edited tool is another tool: its failures start anew. */
  readonly version: string;
  /** Raw text, or the object. */
  readonly arguments: unknown;
}

/** Remembers which calls keep failing, so that the answer changes when the model doesn't. */
export interface Repeats {
  readonly tellAt: number;
  /** False while no failure is remembered: then no call needs a key. */
  readonly isWatching: boolean;
  key(call: CallIdentity): string;
  /** The failure of this call that stopped it, once it has failed too often. */
  stopped(key: string): { readonly code: ErrorCode; readonly count: number } | undefined;
  /** Counts a failure; returns how many there were of exactly this call. */
  failed(key: string, code: ErrorCode): number;
  succeeded(key: string): void;
}

interface Failure {
  readonly code: ErrorCode;
  readonly count: number;
  readonly at: number;
}

const MAX_REMEMBERED = 2_000;

export function createRepeats(options: RepeatOptions, now: () => number): Repeats {
  return new BoundedRepeats(options, now);
}

class BoundedRepeats implements Repeats {
  readonly tellAt: number;
  readonly #stopAt: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #failures = new Map<string, Failure>();

  constructor({ tellAt = 3, stopAt = 10, ttlMs = 600_000 }: RepeatOptions, now: () => number) {
    this.tellAt = tellAt;
    this.#stopAt = stopAt;
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get isWatching(): boolean {
    return this.#failures.size > 0;
  }

  // Hashed, so that what is remembered stays small and holds nobody's data.
  key({ session, tool, version, arguments: input }: CallIdentity): string {
    const identity = [session ?? null, tool, version, canonicalText(input)];
    return createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
  }

  stopped(key: string): { readonly code: ErrorCode; readonly count: number } | undefined {
    const failure = this.#recall(key);
    return failure !== undefined && this.#stopAt > 0 && failure.count >= this.#stopAt ? failure : undefined;
  }

  failed(key: string, code: ErrorCode): number {
    const count = (this.#recall(key)?.count ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, { code, count, at: this.#now() });
    const oldest = this.#failures.keys().next();
    if (this.#failures.size > MAX_REMEMBERED && !oldest.done) this.#failures.delete(oldest.value);
    return count;
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }

  #recall(key: string): Failure | undefined {
    const failure = this.#failures.get(key);
    if (failure !== undefined && this.#now() - failure.at > this.#ttlMs) {
      this.#failures.delete(key);
      return undefined;
    }
    return failure;
  }
}

/** The same text for the same arguments, whether they came as text or object and in whatever order of keys. */
function canonicalText(input: unknown): string {
  if (typeof input === 'string') return textOfText(input);
  try {
    return (
      JSON.stringify(input, (_key, value: unknown) =>
        typeof value === 'bigint' ? `${value}n` : sortKeys(value),
      ) ?? ''
    );
  } catch {
    return String(typeof input);
  }
}

function textOfText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    // Digits past 2^53 would fall together; such texts stand for themselves.
    return typeof value === 'object' && !/\d{16}/.test(text) ? canonicalText(value) : text;
  } catch {
    return text;
  }
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
