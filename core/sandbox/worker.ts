import { monotonicMs } from '../../sandbox/monotonic.ts';
import {
  type CallHead,
  type Frame,
  fitsInFrame,
  type LoadHead,
  ToHost,
  ToWorker,
} from '../../sandbox/protocol.ts';
import type { WorkerCounts } from './counts.ts';
import { Entries } from './entries.ts';
import { ProgramNumbers } from './program-numbers.ts';
import type { Run } from './run.ts';
import type { HostReply, SandboxProgram, SandboxRun, StopReason } from './sandbox.ts';
import { settleRun } from './settle-run.ts';
import type { WorkerCommand } from './worker-command.ts';
import type { WorkerListener } from './worker-events.ts';
import {
  checkCountsHead,
  checkHostCallHead,
  checkLeftHead,
  checkLevel,
  checkResultHead,
  isJson,
  ProtocolError,
} from './worker-messages.ts';
import { type WorkerExit, WorkerProcess } from './worker-process.ts';

/** How often the processor time of a resting worker is read, milliseconds; each reading costs as much as a short call. */
const WEAR_CHECK_MS = 1_000;

/** How long a worker may take to say what it has made, milliseconds. */
const COUNTS_MS = 1_000;

/** Answers of the host that may wait in the pipe of one worker. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** The host's side of one worker: which runs are in it, which of them is running, and what it may use. */
export class Worker {
  readonly #process: WorkerProcess;
  readonly #listener: WorkerListener;
  readonly #programs = new ProgramNumbers();
  readonly #runs = new Map<number, Run>();
  /** Answered already; the worker still has to leave them. */
  readonly #forgotten = new Map<number, Run>();
  readonly #entries = new Entries();
  readonly #askedForCounts: ((counts: WorkerCounts | undefined) => void)[] = [];
  #verdict: StopReason | undefined;
  #largestMemoryMb = 0;
  #wearCheckedAt = 0;
  isReady = false;
  /** Gets no new runs and ends when the last has left. */
  retiring = false;
  idleSince = performance.now();

  constructor(command: WorkerCommand, listener: WorkerListener) {
    this.#listener = listener;
    this.#process = new WorkerProcess(command, {
      frame: (frame) => this.#receive(frame),
      exit: (exit) => this.#onExit(exit),
    });
    this.#process.unref();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get runCount(): number {
    return this.#runs.size;
  }

  /** Entries sent and not yet answered: 0 means that nothing runs in it and nothing waits to. */
  get depth(): number {
    return this.#entries.depth;
  }

  /** Heap limits of the runs in it, added up. */
  get runningMemoryMb(): number {
    let sum = 0;
    for (const run of this.#runs.values()) sum += run.request.limits.memoryMb;
    return Math.max(sum, this.#largestMemoryMb);
  }

  get largestMemoryMb(): number {
    return this.#largestMemoryMb;
  }

  /** The same, with the processor time that it began at. */
  get current():
    | { readonly run: Run | undefined; readonly sinceMs: number; readonly cpuAtStart: number | undefined }
    | undefined {
    const { busyWith } = this;
    const entry = this.#entries.current;
    if (busyWith === undefined || entry === undefined) return undefined;
    entry.cpuAtStart ??= this.#process.usage()?.cpuMs;
    return { ...busyWith, cpuAtStart: entry.cpuAtStart };
  }

  usage() {
    return this.#process.usage();
  }

  /** Has it used this much processor time? May tell a second late. */
  isWorn(cpuMs: number): boolean {
    const now = performance.now();
    if (now - this.#wearCheckedAt < WEAR_CHECK_MS) return false;
    this.#wearCheckedAt = now;
    return (this.usage()?.cpuMs ?? 0) > cpuMs;
  }

  /** Undefined when it does not answer within a second. */
  counts(): Promise<WorkerCounts | undefined> {
    const { promise, resolve } = Promise.withResolvers<WorkerCounts | undefined>();
    const timer = setTimeout(resolve, COUNTS_MS, undefined);
    this.#askedForCounts.push((counts) => {
      clearTimeout(timer);
      resolve(counts);
    });
    this.#process.send(ToWorker.count, 0, {});
    return promise;
  }

  /** The entry that runs now, without a question to the system; undefined while nothing is sent to it. */
  get busyWith(): { readonly run: Run | undefined; readonly sinceMs: number } | undefined {
    const entry = this.#entries.current;
    if (entry === undefined) return undefined;
    return { run: this.#runs.get(entry.run), sinceMs: performance.now() - entry.since };
  }

  /** Was the run sent, and has its code not begun, as far as the host can tell? */
  awaitsStart(run: Run): boolean {
    return this.#entries.awaitsStart(run.id);
  }

  has(run: Run): boolean {
    return this.#runs.has(run.id);
  }

  isRunning(run: Run): boolean {
    return this.#entries.current?.run === run.id;
  }

  send(run: Run): void {
    run.placed();
    run.onCancel = () => this.#cancel(run);
    this.#runs.set(run.id, run);
    const { session, env } = run.request;
    const program = this.#load(run.request);
    const head: CallHead = {
      sequence: this.#entries.add(run.id, true),
      program,
      context: run.contextName,
      session,
      deadline: monotonicMs() + run.wallLeftMs,
      env: Object.keys(env).length === 0 ? undefined : env,
    };
    this.#process.send(run.isProbe ? ToWorker.probe : ToWorker.call, run.id, head, run.request.argumentsJson);
  }

  /** The run has been answered; what is left of it in the worker is thrown away. */
  drop(run: Run): void {
    if (!this.#forget(run)) return;
    this.#process.send(ToWorker.drop, run.id, { sequence: this.#entries.add(run.id, false) });
  }

  unload(program: SandboxProgram): void {
    for (const number of this.#programs.remove(program)) this.#process.send(ToWorker.unload, number, {});
  }

  kill(verdict: StopReason | undefined, cause: string): void {
    this.#verdict ??= verdict;
    this.#process.kill(cause);
  }

  #cancel(run: Run): void {
    if (!this.#forget(run)) return;
    this.#process.send(ToWorker.cancel, run.id, { sequence: this.#entries.add(run.id, false) });
  }

  #forget(run: Run): boolean {
    const { busyWith } = this;
    // Nobody will say what it has taken.
    if (busyWith?.run === run) run.cpuMs += busyWith.sinceMs;
    this.#forgotten.set(run.id, run);
    return this.#runs.delete(run.id);
  }

  #load({ program, limits }: SandboxRun): number {
    const known = this.#programs.get(program, limits);
    if (known !== undefined) return known;
    const number = this.#programs.add(program, limits);
    const { memoryMb, cpuMs, resultBytes, logBytes, hostCalls } = limits;
    this.#largestMemoryMb = Math.max(this.#largestMemoryMb, memoryMb);
    const head: LoadHead = { limits: { memoryMb, cpuMs, resultBytes, logBytes, hostCalls } };
    this.#process.send(ToWorker.load, number, head, program.code);
    return number;
  }

  #receive(frame: Frame): void {
    switch (frame.kind) {
      case ToHost.ready:
        this.isReady = true;
        return this.#listener.ready(this);
      case ToHost.result:
        return this.#onResult(frame);
      case ToHost.left:
        return this.#onLeft(frame);
      case ToHost.entered:
        return this.#entries.timerBegan(frame.call);
      case ToHost.hostCall:
        return this.#onHostCall(frame);
      case ToHost.log:
        return this.#runs.get(frame.call)?.log(checkLevel(frame.head), frame.body);
      case ToHost.progress:
        return isJson(frame.body) ? this.#runs.get(frame.call)?.progress(frame.body) : undefined;
      case ToHost.counts:
        return this.#askedForCounts.shift()?.({ ...checkCountsHead(frame.head), ...this.#process.traffic });
      default:
        throw new ProtocolError(`a frame of unknown kind ${frame.kind}`);
    }
  }

  #onResult(frame: Frame): void {
    const head = checkResultHead(frame.head);
    this.#entries.left(head.sequence);
    const run = this.#runs.get(frame.call);
    this.#runs.delete(frame.call);
    this.#forgotten.delete(frame.call);
    if (run !== undefined) {
      run.cpuMs = head.cpuMs;
      run.heapBytes = head.heapBytes;
      settleRun(run, head, frame.body);
    }
    this.#afterEntry();
  }

  #onLeft(frame: Frame): void {
    const head = checkLeftHead(frame.head);
    this.#entries.left(head.sequence);
    const run = this.#runs.get(frame.call);
    if (run !== undefined) run.cpuMs = head.cpuMs;
    this.#afterEntry();
  }

  #afterEntry(): void {
    if (this.#runs.size === 0 && this.#entries.depth === 0) this.idleSince = performance.now();
    this.#listener.free(this);
  }

  #onHostCall(frame: Frame): void {
    const { number, method } = checkHostCallHead(frame.head);
    const run = this.#runs.get(frame.call);
    if (run === undefined) return;
    void run.hostCall(number, method, frame.body).then((reply) => {
      if (reply !== undefined && this.#runs.get(frame.call) === run) this.#reply(run, number, reply);
    });
  }

  #reply(run: Run, hostCall: number, reply: HostReply): void {
    // A guest that asks and never listens must not fill the host's memory.
    const fits = !reply.ok || (fitsInFrame(reply.json) && this.#process.unreadBytes < MAX_UNREAD_BYTES);
    const [ok, body] = !fits
      ? [
          false,
          JSON.stringify({
            name: 'RangeError',
            message: 'the answer is too large, or too many answers wait to be read',
          }),
        ]
      : reply.ok
        ? [true, reply.json]
        : [false, JSON.stringify(reply.error)];
    this.#process.send(
      ToWorker.reply,
      run.id,
      { sequence: this.#entries.add(run.id, false), hostCall, ok },
      body,
    );
  }

  #onExit(exit: WorkerExit): void {
    const { current } = this.#entries;
    const running = this.#runs.get(current?.run ?? 0);
    const forgotten = this.#forgotten.get(current?.run ?? 0);
    const others = [...this.#runs.values()].filter((run) => run !== running);
    const untouched = others.filter((run) => this.#entries.awaitsStart(run.id));
    this.#runs.clear();
    this.#entries.clear();
    for (const resolve of this.#askedForCounts.splice(0)) resolve(undefined);
    this.#listener.died({
      worker: this,
      exit,
      verdict: this.#verdict,
      running,
      forgotten,
      runningMs: current === undefined ? 0 : performance.now() - current.since,
      begun: others.filter((run) => !untouched.includes(run)),
      untouched,
    });
  }
}
