import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server';
import type { LogLevel } from '../../../sandbox/sandbox.ts';
import type { CallListener } from './pending-call.ts';
import { ProgressSteps } from './progress.ts';

const LEVELS: Readonly<Record<LogLevel, LoggingLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

/** Hands a call's news to the client, in their order, while its request is open. */
export class RequestListener implements CallListener {
  readonly signal: AbortSignal;
  readonly #ctx: ServerContext;
  readonly #logger: string;
  readonly #steps = new ProgressSteps();
  #sent: Promise<unknown> = Promise.resolve();

  constructor(ctx: ServerContext, logger: string) {
    this.#ctx = ctx;
    this.#logger = logger;
    this.signal = ctx.mcpReq.signal;
  }

  progress(value: unknown): void {
    const progressToken = this.#ctx.mcpReq._meta?.progressToken;
    const step = progressToken === undefined ? undefined : this.#steps.next(value);
    if (step === undefined || progressToken === undefined) return;
    this.#send(
      this.#ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...step } }),
    );
  }

  log(level: LogLevel, text: string): void {
    // Deprecated in 2026-07-28, where a client asks for it with each request; older clients have nothing else.
    this.#send(this.#ctx.mcpReq.log(LEVELS[level], text, this.#logger));
  }

  /** Resolves when all is on its way, so that the answer comes last. */
  async flushed(): Promise<void> {
    await this.#sent;
  }

  #send(sending: Promise<unknown>): void {
    const quiet = sending.catch(() => undefined);
    this.#sent = Promise.all([this.#sent, quiet]);
  }
}
