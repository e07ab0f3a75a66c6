import { isRecord } from '../../../schema/pointer.ts';

/** A progress notification's params, but for the token. */
export interface ProgressStep {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

const BURST = 100;
const THEN_EVERY_MS = 100;
const MAX_MESSAGE_CHARS = 1_000;
/** What a step adds that tells no number of its own, once numbers were told. */
const SMALL_STEP = 1e-6;

/**
 * Reads what plugins give to `ctx.progress()`: a number, `{ progress, total?, message? }`, or anything else as a message.
 * The numbers that leave always increase, as MCP demands; of a flood only so much leaves.
 */
export class ProgressSteps {
  readonly #now: () => number;
  #last: number | undefined;
  #hasNumbers = false;
  #sent = 0;
  #sentAt = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The step to send, or undefined where there is nothing to tell. */
  next(value: unknown): ProgressStep | undefined {
    const { number, total, message } = readValue(value);
    if (this.#isFlooding()) return undefined;
    if (number !== undefined) this.#hasNumbers = true;
    const progress = number ?? this.#withoutNumber();
    if (this.#last !== undefined && progress <= this.#last) {
      if (message === undefined) return undefined;
      return this.#send({ progress: this.#last + SMALL_STEP, message, ...withTotal(total) });
    }
    return this.#send({ progress, ...withTotal(total), ...(message === undefined ? {} : { message }) });
  }

  #withoutNumber(): number {
    return (this.#last ?? 0) + (this.#hasNumbers ? SMALL_STEP : 1);
  }

  #isFlooding(): boolean {
    return this.#sent >= BURST && this.#now() - this.#sentAt < THEN_EVERY_MS;
  }

  #send(step: ProgressStep): ProgressStep {
    this.#last = step.progress;
    this.#sent += 1;
    this.#sentAt = this.#now();
    return step;
  }
}

function withTotal(total: number | undefined): { readonly total?: number } {
  return total === undefined ? {} : { total };
}

interface Reading {
  readonly number?: number | undefined;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function readValue(value: unknown): Reading {
  if (typeof value === 'number') return { number: finite(value) };
  if (!isRecord(value)) return { message: textOf(value) };
  const { progress, total, message } = value;
  if (typeof progress !== 'number') return { message: textOf(message ?? value) };
  return {
    number: finite(progress),
    total: finite(total),
    message: message === undefined ? undefined : textOf(message),
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}
