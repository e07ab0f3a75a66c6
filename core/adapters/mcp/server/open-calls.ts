import { randomBytes } from 'node:crypto';
import type { OpenQuestion, PendingCall } from './pending-call.ts';

/** A call whose question is with the client. */
export interface OpenCall {
  readonly call: PendingCall;
  readonly question: OpenQuestion;
  /** What the client must send again with its answer. */
  readonly name: string;
  readonly argumentsJson: string;
}

const MOST_OPEN = 256;
const LONGEST_OPEN_MS = 15 * 60_000;

/** The calls that wait for a client's next request, each under a state that only that client was told. */
export class OpenCalls {
  readonly #calls = new Map<string, { readonly open: OpenCall; readonly timer: NodeJS.Timeout }>();

  get isFull(): boolean {
    return this.#calls.size >= MOST_OPEN;
  }

  /** Keeps a call, and tells the state that it is found by. */
  put(open: OpenCall): string {
    const state = randomBytes(32).toString('base64url');
    const timer = setTimeout(() => {
      this.#calls.delete(state);
      open.call.cancel();
    }, LONGEST_OPEN_MS);
    timer.unref();
    this.#calls.set(state, { open, timer });
    return state;
  }

  find(state: string): OpenCall | undefined {
    return this.#calls.get(state)?.open;
  }

  /** Takes the call out: a state answers once. */
  take(state: string): OpenCall | undefined {
    const entry = this.#calls.get(state);
    if (entry === undefined) return undefined;
    clearTimeout(entry.timer);
    this.#calls.delete(state);
    return entry.open;
  }

  close(): void {
    for (const { open, timer } of this.#calls.values()) {
      clearTimeout(timer);
      open.call.cancel();
    }
    this.#calls.clear();
  }
}
