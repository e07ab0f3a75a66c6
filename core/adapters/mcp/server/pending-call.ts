import type { CallRequest } from '../../../call/call.ts';
import type { CallResult } from '../../../call/result.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../permissions/index.ts';
import type { LogLevel } from '../../../sandbox/sandbox.ts';

/** An approval that a call waits for. */
export interface OpenQuestion {
  readonly request: ApprovalRequest;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** Where the call's news go while somebody listens. */
export interface CallListener {
  readonly signal: AbortSignal;
  progress(value: unknown): void;
  log(level: LogLevel, text: string): void;
}

export type CallNews =
  | { readonly kind: 'result'; readonly result: CallResult }
  | { readonly kind: 'question'; readonly question: OpenQuestion };

export interface PendingCallOptions {
  readonly run: (
    parts: Pick<CallRequest, 'ask' | 'onLog' | 'onProgress'> & { readonly signal: AbortSignal },
  ) => Promise<CallResult>;
  /** Can whoever calls be asked? */
  readonly isAskable: boolean;
}

/**
 * One call, which may last over several requests: on protocol revision 2026-07-28 a question to the client is the answer
 * to its request, and the client's answer comes with another one. The call itself is one all the time: it runs once, it
 * is audited once, and what waits is the approval, not a copy of the arguments.
 */
export class PendingCall {
  readonly #ending = new AbortController();
  readonly #questions: OpenQuestion[] = [];
  readonly #result: Promise<CallResult>;
  #wake = Promise.withResolvers<void>();
  #listener: CallListener | undefined;
  #isDone = false;

  constructor({ run, isAskable }: PendingCallOptions) {
    this.#result = run({
      signal: this.#ending.signal,
      onProgress: (value) => this.#listener?.progress(value),
      onLog: (level, text) => this.#listener?.log(level, text),
      ...(isAskable ? { ask: (request) => this.#ask(request) } : {}),
    });
    const done = (): void => {
      this.#isDone = true;
    };
    this.#result.then(done, done);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The next thing that the call wants to tell. Its listener's signal ends the call. */
  async next(listener: CallListener): Promise<CallNews> {
    const end = (): void => this.cancel();
    listener.signal.addEventListener('abort', end, { once: true });
    if (listener.signal.aborted) end();
    this.#listener = listener;
    try {
      for (;;) {
        const question = this.#questions.find(({ request }) => !request.signal.aborted);
        if (question !== undefined) return { kind: 'question', question };
        const result = await Promise.race([this.#result, this.#wake.promise]);
        if (result !== undefined) return { kind: 'result', result };
      }
    } finally {
      this.#listener = undefined;
      listener.signal.removeEventListener('abort', end);
    }
  }

  cancel(): void {
    this.#ending.abort();
  }

  #ask(request: ApprovalRequest): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const answer = (given: ApprovalAnswer): void => {
        const at = this.#questions.indexOf(question);
        if (at >= 0) this.#questions.splice(at, 1);
        resolve(given);
      };
      const question: OpenQuestion = { request, answer };
      this.#questions.push(question);
      request.signal.addEventListener('abort', () => answer(false), { once: true });
      this.#wake.resolve();
      this.#wake = Promise.withResolvers<void>();
    });
  }
}
