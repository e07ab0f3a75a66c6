import { CLOCK_PER_CPU } from '../../sandbox/protocol.ts';
import type { Worker } from './worker.ts';

/** How often busy workers are looked at, milliseconds. Idle ones are not: an idle host uses no processor time. */
const LOOK_MS = 25;
/** How long an entry may go on after its budget ran out, before the worker is killed, milliseconds. */
const GRACE_MS = 250;
/** How long a worker may still be busy after its last answer, milliseconds. */
const SETTLE_MS = 250;
/** Processor time within {@link SETTLE_MS} that counts as still busy, milliseconds. */
const BUSY_CPU_MS = 150;
/** Resident memory of a worker besides the isolates that run, and what a heap limit may be overrun by. */
const BASE_MB = 192;
const HEAP_OVERRUN = 2.5;

export interface WatchdogOptions {
  readonly workerMemoryMb: number;
  readonly workers: () => Iterable<Worker>;
  /** Some have been busy for a while: what waits may go by them. */
  readonly looked: () => void;
}

/**
 * The clock outside: kills workers whose code does not stop, holds too much memory, or goes on after its answer; and says
 * so while some are busy, for no other event tells that a call has become a long one.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #settling = new Map<Worker, NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Something was sent to a worker. */
  wake(): void {
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS);
  }

  /** The worker has answered all it was sent; it must now be quiet. */
  expectQuiet(worker: Worker): void {
    if (this.#settling.has(worker)) return;
    const before = worker.usage()?.cpuMs;
    if (before === undefined) return;
    const timer = setTimeout(() => {
      this.#settling.delete(worker);
      const after = worker.usage()?.cpuMs;
      const stayedIdle =
        worker.depth === 0 && worker.runCount === 0 && performance.now() - worker.idleSince >= SETTLE_MS - 50;
      if (after !== undefined && stayedIdle && after - before >= BUSY_CPU_MS) {
        worker.kill(undefined, 'it went on running after its last answer');
      }
    }, SETTLE_MS);
    timer.unref();
    this.#settling.set(worker, timer);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const timer of this.#settling.values()) clearTimeout(timer);
    this.#settling.clear();
  }

  #look(): void {
    this.#timer = undefined;
    let busy = false;
    for (const worker of this.#options.workers()) {
      if (worker.depth === 0) continue;
      busy = true;
      this.#checkMemory(worker);
      this.#checkTime(worker);
    }
    if (!busy) return;
    this.wake();
    this.#options.looked();
  }

  #checkMemory(worker: Worker): void {
    // Tight while little runs in it, and never above the operator's bound unless one heap limit alone is.
    const runningMb = BASE_MB + worker.runningMemoryMb * HEAP_OVERRUN;
    const mostMb = Math.max(this.#options.workerMemoryMb, BASE_MB + worker.largestMemoryMb * HEAP_OVERRUN);
    const limitMb = Math.min(runningMb, mostMb);
    const rssBytes = worker.usage()?.rssBytes ?? 0;
    if (rssBytes > limitMb * 1_048_576) worker.kill('memory_limit', 'its process held too much memory');
  }

  #checkTime(worker: Worker): void {
    const current = worker.current;
    if (current?.run === undefined) return this.#checkForgotten(worker);
    const { run, sinceMs, cpuAtStart } = current;
    if (run.wallLeftMs < -GRACE_MS) return worker.kill('timeout', 'its code did not stop at the deadline');
    if (sinceMs < run.cpuLeftMs * CLOCK_PER_CPU + GRACE_MS) return;
    const now = worker.usage()?.cpuMs;
    // On a busy machine the clock alone would blame a worker that got no turn.
    const used = now === undefined || cpuAtStart === undefined ? sinceMs : now - cpuAtStart;
    if (used >= run.cpuLeftMs) worker.kill('cpu_limit', 'its code did not stop at the end of its budget');
  }

  /** The run was answered already (cancelled, or late) and its code still runs. */
  #checkForgotten(worker: Worker): void {
    const current = worker.current;
    if (current !== undefined && current.sinceMs > GRACE_MS * 4)
      worker.kill(undefined, 'it did not stop after its call was over');
  }
}
