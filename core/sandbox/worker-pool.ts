import { MAX_CALLS_IN_WORKER } from '../../sandbox/protocol.ts';
import { LONG_MS, type Paces } from './paces.ts';
import type { Run } from './run.ts';
import { Worker } from './worker.ts';
import { CPU_SECONDS, type WorkerCommand } from './worker-command.ts';
import type { WorkerListener } from './worker-events.ts';

export interface PoolOptions {
  /** Processes that `declared` plugins share. @defaultValue 2 */
  readonly workers: number;
  /** Processes in all, the spare one included. @defaultValue 8 */
  readonly maxProcesses: number;
  /** An unshared process ends after this long without a call, milliseconds. @defaultValue 30000 */
  readonly idleMs: number;
}

/** Entries that may wait in a worker's pipe behind the one that runs. */
const PIPELINE_DEPTH = 2;
/** How long a call that is not known to be short lets short ones go first, milliseconds. */
const PATIENCE_MS = 20;
/** A worker that used this much of the system's processor budget is replaced before it is ended. */
const RECYCLE_AT_CPU_MS = CPU_SECONDS * 1_000 * 0.6;

/** Which processes there are and which run goes where. Shared ones serve `declared` plugins, the others one plugin each. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #paces: Paces;
  readonly #command: (dedicated: boolean) => WorkerCommand;
  readonly #listener: WorkerListener;
  readonly #workers: number;
  /** The others are left to the shared ones, which must never have to wait for them. */
  readonly #mostDedicated: number;
  readonly #shared: Worker[] = [];
  readonly #dedicated = new Map<string, Worker>();
  /** Started ahead of need, one of each kind at the most. */
  readonly #spares: { shared: Worker | undefined; dedicated: Worker | undefined } = {
    shared: undefined,
    dedicated: undefined,
  };
  readonly #retiring = new Set<Worker>();
  #reaper: NodeJS.Timeout | undefined;

  constructor(
    options: PoolOptions,
    paces: Paces,
    command: (dedicated: boolean) => WorkerCommand,
    listener: WorkerListener,
  ) {
    this.#options = options;
    this.#workers = Math.min(options.workers, options.maxProcesses);
    this.#mostDedicated = Math.max(1, options.maxProcesses - this.#workers);
    this.#paces = paces;
    this.#command = command;
    this.#listener = listener;
  }

  *all(): Generator<Worker> {
    yield* this.#shared;
    yield* this.#dedicated.values();
    yield* this.#retiring;
    if (this.#spares.shared !== undefined) yield this.#spares.shared;
    if (this.#spares.dedicated !== undefined) yield this.#spares.dedicated;
  }

  get size(): number {
    return [...this.all()].length;
  }

  /** A worker that can take the run now, or undefined: then `free` or `ready` will come. */
  placeFor(run: Run): Worker | undefined {
    return run.request.program.isolation === 'dedicated'
      ? this.#placeAlone(run.request.program.name)
      : this.#placeShared(run);
  }

  workerOf(run: Run): Worker | undefined {
    for (const worker of this.all()) if (worker.has(run)) return worker;
    return undefined;
  }

  /** Keeps one process of the kind ready, if there is room for it. */
  keepSpare(kind: 'shared' | 'dedicated'): void {
    const reserved = this.#workers - this.#shared.length;
    const isFull = kind === 'dedicated' && this.#dedicated.size >= this.#mostDedicated;
    if (this.#spares[kind] === undefined && !isFull && this.size + reserved < this.#options.maxProcesses)
      this.#spares[kind] = this.#start(kind === 'dedicated');
  }

  /** The worker is dead: out of every list. */
  forget(worker: Worker): void {
    const index = this.#shared.indexOf(worker);
    if (index >= 0) this.#shared.splice(index, 1);
    for (const [name, other] of this.#dedicated) if (other === worker) this.#dedicated.delete(name);
    this.#retiring.delete(worker);
    if (this.#spares.shared === worker) this.#spares.shared = undefined;
    if (this.#spares.dedicated === worker) this.#spares.dedicated = undefined;
  }

  /** The worker has nothing to do: recycle it if it is worn, and see that idle ones end in time. */
  resting(worker: Worker): void {
    if (worker.isWorn(RECYCLE_AT_CPU_MS)) {
      const wasSpare = this.#spares.shared === worker;
      this.#retire(worker);
      if (wasSpare) this.keepSpare('shared');
    }
    if (worker.retiring) worker.kill(undefined, 'it was replaced');
    this.#scheduleReaper();
  }

  close(): void {
    clearTimeout(this.#reaper);
    for (const worker of this.all()) worker.kill(undefined, 'the host closed');
  }

  #placeAlone(name: string): Worker | undefined {
    const own = this.#dedicated.get(name);
    if (own !== undefined) return hasPlace(own) ? own : undefined;
    if (this.#dedicated.size >= this.#mostDedicated && !this.#endOldest()) return undefined;
    const spare = this.#spares.dedicated;
    if (spare === undefined && !this.#hasRoomForOneMore()) return undefined;
    const worker = spare ?? this.#start(true);
    this.#spares.dedicated = undefined;
    this.#dedicated.set(name, worker);
    this.keepSpare('dedicated');
    return hasPlace(worker) ? worker : undefined;
  }

  #placeShared(run: Run): Worker | undefined {
    if (run.contextName !== undefined) return this.#placeWarm(run, run.contextName);
    let best: Worker | undefined;
    for (const worker of this.#shared) {
      if (this.#hasRoom(worker, run) && (best === undefined || worker.depth < best.depth)) best = worker;
    }
    if (best !== undefined && best.depth === 0) return best;
    if (this.#shared.length < this.#workers) this.#addShared();
    return best ?? this.#shared.find((worker) => this.#hasRoom(worker, run)) ?? this.#passBy(run);
  }

  /** What computes for long holds all of them up: short calls of others go by in the process that could replace one. */
  #passBy(run: Run): Worker | undefined {
    const { shared } = this.#spares;
    if (shared === undefined || !this.#hasRoom(shared, run)) return undefined;
    const { name } = run.request.program;
    // By its own calls it goes by in no case: so many of them may compute at the same time, and no more.
    if (!this.#shared.every((worker) => this.#isHeldUp(worker) && !isBusyWith(worker, name)))
      return undefined;
    // Of a tool that nobody knows yet the first call may; the next one waits for what that one tells.
    const isFirst = !this.#paces.isKnown(name) && shared.depth === 0;
    return isFirst || this.#paces.isShort(name) ? shared : undefined;
  }

  /**
   * Its turn is now, or it and what is before it are short; all else is left where turns are taken. A worker that short
   * calls follow one another into never comes to rest, so whoever has waited for a while goes in as well.
   */
  #hasRoom(worker: Worker, run: Run): boolean {
    if (!hasPlace(worker)) return false;
    if (worker.depth === 0) return true;
    const mayFollow = this.#paces.isShort(run.request.program.name) || run.ageMs > PATIENCE_MS;
    return mayFollow && !this.#isHeldUp(worker);
  }

  #isHeldUp({ busyWith }: Worker): boolean {
    if (busyWith === undefined) return false;
    const { run, sinceMs } = busyWith;
    return sinceMs > LONG_MS || (run !== undefined && !this.#paces.isShort(run.request.program.name));
  }

  /** A warm context lives in one worker, which its name finds again. */
  #placeWarm(run: Run, context: string): Worker | undefined {
    // All of them first: by their number it finds its own again.
    while (this.#shared.length < this.#workers) if (!this.#addShared()) return undefined;
    const worker = this.#shared[hash(`${run.request.program.name}\n${context}`) % this.#shared.length];
    return worker !== undefined && this.#hasRoom(worker, run) ? worker : undefined;
  }

  #addShared(): boolean {
    const spare = this.#spares.shared;
    if (spare === undefined && !this.#hasRoomForOneMore()) return false;
    this.#spares.shared = undefined;
    this.#shared.push(spare ?? this.#start(false));
    if (this.#shared.length >= this.#workers) this.keepSpare('shared');
    return true;
  }

  #hasRoomForOneMore(): boolean {
    if (this.size < this.#options.maxProcesses || this.#endOldest()) return true;
    const { shared, dedicated } = this.#spares;
    // The last one only where a single process has to serve both kinds.
    const only = this.#options.maxProcesses === 1 ? this.#shared : [];
    const idle = [shared, dedicated, ...only].find((worker) => worker !== undefined && isAtRest(worker));
    return idle !== undefined && this.#give(idle);
  }

  /** Ends the unshared worker that has rested longest; one that is still starting was promised to a run. */
  #endOldest(): boolean {
    let oldest: Worker | undefined;
    for (const worker of this.#dedicated.values()) {
      if (worker.isReady && isAtRest(worker) && (oldest === undefined || worker.idleSince < oldest.idleSince))
        oldest = worker;
    }
    return oldest !== undefined && this.#give(oldest);
  }

  #give(worker: Worker): true {
    this.forget(worker);
    worker.kill(undefined, 'another plugin needed the place');
    return true;
  }

  #start(dedicated: boolean): Worker {
    return new Worker(this.#command(dedicated), this.#listener);
  }

  #retire(worker: Worker): void {
    if (worker.retiring) return;
    this.forget(worker);
    worker.retiring = true;
    this.#retiring.add(worker);
  }

  #scheduleReaper(): void {
    if (this.#reaper !== undefined || this.#dedicated.size === 0) return;
    this.#reaper = setTimeout(() => {
      this.#reaper = undefined;
      const now = performance.now();
      for (const worker of this.#dedicated.values()) {
        if (isAtRest(worker) && now - worker.idleSince >= this.#options.idleMs)
          worker.kill(undefined, 'it was idle');
      }
      this.#scheduleReaper();
    }, this.#options.idleMs);
    this.#reaper.unref();
  }
}

function isAtRest({ runCount, depth }: Worker): boolean {
  return runCount === 0 && depth === 0;
}

function isBusyWith({ busyWith }: Worker, name: string): boolean {
  return busyWith?.run?.request.program.name === name;
}

function hasPlace(worker: Worker): boolean {
  return (
    worker.isReady &&
    !worker.retiring &&
    worker.depth < PIPELINE_DEPTH &&
    worker.runCount < MAX_CALLS_IN_WORKER
  );
}

/** FNV-1a: spreads names over few workers; nothing depends on its being hard to guess. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
