import { MAX_HOST_CALL_BYTES_IN_ALL } from '../../sandbox/protocol.ts';
import type { HostCall, HostReply, LogLevel, RunOutcome, SandboxRun, StopReason } from './sandbox.ts';

/** How often a call may be begun anew after its worker died under it. */
const MAX_ATTEMPTS = 3;

let lastId = 0;

/** Ids fit the frame's u32 and are unique among the calls that can be in flight together. */
function nextId(): number {
  lastId = (lastId % 0xffff_fffe) + 1;
  return lastId;
}

/** One run from request to its only outcome. Settling is idempotent: the first cause wins. */
export class Run {
  readonly id = nextId();
  readonly request: SandboxRun;
  /** Entry is only loaded, not called. */
  readonly isProbe: boolean;
  readonly outcome: Promise<RunOutcome>;
  readonly #began = performance.now();
  /** Made by the first host call: most runs make none, and one that aborts for nobody costs as much as the rest of a run. */
  #controller: AbortController | undefined;
  readonly #onSettled: (run: Run) => void;
  #resolve!: (outcome: RunOutcome) => void; // set by the promise's executor, which runs at once
  #timer: NodeJS.Timeout | undefined;
  #settled = false;
  #hasBegun = false;
  #placedAt: number | undefined;
  #hostCalls = 0;
  #hostCallBytes = 0;
  #waiting = new Map<number, string>();
  attempts = 0;
  cpuMs = 0;
  heapBytes = 0;

  constructor(
    request: SandboxRun,
    isProbe: boolean,
    onDeadline: (run: Run) => void,
    onSettled: (run: Run) => void,
  ) {
    this.request = request;
    this.isProbe = isProbe;
    this.#onSettled = onSettled;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    // The timer also keeps Node alive while somebody waits for this run; the worker's pipes don't.
    this.#timer = setTimeout(() => onDeadline(this), request.limits.timeoutMs);
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Set by whoever can tell the worker; called once when the caller cancels. */
  onCancel: ((run: Run) => void) | undefined;

  get settled(): boolean {
    return this.#settled;
  }

  get ageMs(): number {
    return performance.now() - this.#began;
  }

  get wallLeftMs(): number {
    return this.request.limits.timeoutMs - this.ageMs;
  }

  /** Its code has begun in a worker that is gone: whatever comes of it now, it is not as if it had never run. */
  noteBegun(): void {
    this.#hasBegun = true;
  }

  get cpuLeftMs(): number {
    return this.request.limits.cpuMs - this.cpuMs;
  }

  /** The warm context that it needs, or undefined for a fresh one. */
  get contextName(): string | undefined {
    const { program, session } = this.request;
    if (this.isProbe) return undefined;
    if (program.state === 'plugin') return 'plugin';
    return program.state === 'session' && session !== undefined ? `session:${session}` : undefined;
  }

  get exhausted(): boolean {
    return this.attempts >= MAX_ATTEMPTS;
  }

  placed(): void {
    this.attempts += 1;
    this.#placedAt ??= performance.now();
  }

  /** What it is waiting for now, in words for the message of a timeout. */
  get waitingOn(): string | undefined {
    const [first] = this.#waiting.values();
    return first;
  }

  /** Counts and answers one host call; undefined when the limit is passed. */
  async hostCall(number: number, method: string, params: string): Promise<HostReply | undefined> {
    this.#hostCalls += 1;
    this.#hostCallBytes += Buffer.byteLength(params);
    const tooMany = this.#hostCalls > this.request.limits.hostCalls;
    if (tooMany || this.#hostCallBytes > MAX_HOST_CALL_BYTES_IN_ALL) {
      this.stop('host_call_limit', true);
      return undefined;
    }
    this.#waiting.set(number, method);
    this.#controller ??= new AbortController();
    const reply = await this.#ask({ number, method, params, signal: this.#controller.signal });
    this.#waiting.delete(number);
    return this.#settled ? undefined : reply;
  }

  /** A fault of a broker must not become the host's end. */
  async #ask(call: HostCall): Promise<HostReply> {
    try {
      return await this.request.broker(call);
    } catch {
      return { ok: false, error: { name: 'Error', message: 'the host could not do this', code: 'internal' } };
    }
  }

  log(level: LogLevel, text: string): void {
    if (!this.#settled) this.request.onLog?.(level, text);
  }

  progress(json: string): void {
    if (!this.#settled) this.request.onProgress?.(json);
  }

  /** @param started has this attempt begun? An earlier one, or a host call, says so too. */
  stop(reason: StopReason, started: boolean, detail?: string): void {
    const hasBegun = started || this.#hasBegun || this.#hostCalls > 0;
    this.settle({ kind: 'stopped', reason, started: hasBegun, ...(detail === undefined ? {} : { detail }) });
  }

  settle(outcome: OutcomeWithoutUsage): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.request.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller?.abort();
    const usage = {
      cpuMs: this.cpuMs,
      heapBytes: this.heapBytes,
      queuedMs: (this.#placedAt ?? performance.now()) - this.#began,
      hostCalls: this.#hostCalls,
    };
    this.#onSettled(this);
    this.#resolve({ ...outcome, usage });
  }

  #onAbort = (): void => {
    this.onCancel?.(this);
    this.stop('cancelled', this.#placedAt !== undefined);
  };
}

type WithoutUsage<Outcome> = Outcome extends unknown ? Omit<Outcome, 'usage'> : never;
export type OutcomeWithoutUsage = WithoutUsage<RunOutcome>;
