import type { Limits } from '../config/limits.ts';
import { addCounts, type WorkerCounts } from './counts.ts';
import { isNobodysFault, verdictOn } from './death.ts';
import { NO_USAGE } from './no-usage.ts';
import { Paces } from './paces.ts';
import { Quarantine, type QuarantineRule } from './quarantine.ts';
import { Run } from './run.ts';
import { RunQueue } from './run-queue.ts';
import type { ProbeOutcome, RunOutcome, Sandbox, SandboxProgram, SandboxRun } from './sandbox.ts';
import { selfTest } from './self-test.ts';
import { LATE } from './settle-run.ts';
import { Watchdog } from './watchdog.ts';
import type { Worker } from './worker.ts';
import { locateWorker } from './worker-bundle.ts';
import { workerCommand } from './worker-command.ts';
import type { WorkerDeath } from './worker-events.ts';
import { type PoolOptions, WorkerPool } from './worker-pool.ts';

export interface SandboxOptions extends PoolOptions {
  /** Resident memory of one worker process, MiB; more when a plugin's heap limit needs it. @defaultValue 512 */
  readonly workerMemoryMb: number;
  /** Run strangers' tools without machine code made at run time. @defaultValue 'never' */
  readonly jitless: 'strangers' | 'never';
  readonly quarantine: QuarantineRule;
  /** Runs that may wait in all. @defaultValue 4096 */
  readonly maxQueued?: number;
}

/** A sandbox of worker processes, which can tell what its work has taken. */
export interface SupervisedSandbox extends Sandbox {
  /** Sums over the workers that live now, the question and its answer included. They don't depend on the clock. */
  counts(): Promise<WorkerCounts>;
}

/** How long what a worker has written may take to be read here, milliseconds. */
const IN_FLIGHT_MS = 20;
/** How long loading a plugin may take in all, milliseconds; `cpuMs` bounds what its code takes of it. */
const LEAST_PROBE_MS = 10_000;
/** Deaths in a row before any worker was ready, after which waiting runs are given up. */
const MAX_FAILED_STARTS = 5;

/** Starts the supervised worker processes behind the {@link Sandbox} interface. */
export async function createSandbox(options: SandboxOptions): Promise<SupervisedSandbox> {
  return new Supervisor(options, await locateWorker());
}

class Supervisor implements SupervisedSandbox {
  readonly #options: SandboxOptions;
  readonly #queue = new RunQueue();
  readonly #quarantine: Quarantine;
  readonly #paces = new Paces();
  readonly #pool: WorkerPool;
  readonly #watchdog: Watchdog;
  readonly #placed = new Set<Run>();
  readonly #placeFor = (run: Run) => this.#pool.placeFor(run);
  #failedStarts = 0;
  #closed = false;
  #deaths: (() => void) | undefined;
  #tested: Promise<string[]> | undefined;

  constructor(options: SandboxOptions, workerFile: string) {
    this.#options = options;
    this.#quarantine = new Quarantine(options.quarantine);
    // Both now: a package that is replaced under a running host must end no more than the start of a worker.
    const commandOf = (jitless: boolean) =>
      workerCommand(workerFile, { memoryMb: options.workerMemoryMb, jitless });
    const shared = commandOf(false);
    const alone = options.jitless === 'strangers' ? commandOf(true) : shared;
    this.#pool = new WorkerPool(options, this.#paces, (dedicated) => (dedicated ? alone : shared), {
      ready: () => {
        this.#failedStarts = 0;
        this.#pump();
      },
      free: (worker) => this.#onFree(worker),
      died: (death) => this.#onDeath(death),
    });
    this.#watchdog = new Watchdog({
      workerMemoryMb: options.workerMemoryMb,
      workers: () => this.#pool.all(),
      looked: () => {
        if (this.#queue.length > 0) this.#pump();
      },
    });
    this.#pool.keepSpare('shared');
  }

  run(request: SandboxRun): Promise<RunOutcome> {
    return request.program.isolation === 'dedicated'
      ? this.#runAlone(request)
      : this.#enqueue(request, false);
  }

  async #runAlone(request: SandboxRun): Promise<RunOutcome> {
    this.#tested ??= selfTest((attack) => this.#enqueue(attack, false));
    const failed = await this.#tested;
    if (failed.length > 0)
      return refused('plugin_unavailable', `the self-test of the wall failed here (${failed.join(', ')})`);
    return this.#enqueue(request, false);
  }

  async probe(program: SandboxProgram, limits: Limits): Promise<ProbeOutcome> {
    const broker = async () => ({
      ok: false as const,
      error: { name: 'Error', message: 'the host can be asked during a call only' },
    });
    // Its time is for a call; on a busy machine the start of a worker alone may take as long.
    const patient = { ...limits, timeoutMs: Math.max(limits.timeoutMs, LEAST_PROBE_MS) };
    const outcome = await this.#enqueue(
      { program, argumentsJson: '', limits: patient, repeatable: true, env: {}, broker },
      true,
    );
    if (outcome.kind === 'value') return { ok: true };
    if (outcome.kind === 'thrown') return { ok: false, message: outcome.error.message, error: outcome.error };
    if (outcome.kind === 'stopped')
      return { ok: false, message: `loading it was stopped: ${outcome.reason}` };
    return { ok: false, message: outcome.message };
  }

  retire(program: SandboxProgram): void {
    for (const worker of this.#pool.all()) worker.unload(program);
  }

  release(name: string): boolean {
    return this.#quarantine.release(name);
  }

  quarantined() {
    return this.#quarantine.list();
  }

  workers() {
    return [...this.#pool.all()].map((worker) => ({
      pid: worker.pid,
      calls: worker.runCount,
      rssBytes: worker.usage()?.rssBytes ?? 0,
    }));
  }

  async counts(): Promise<WorkerCounts> {
    return addCounts(await Promise.all([...this.#pool.all()].map((worker) => worker.counts())));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const run of [...this.#queue.drain(), ...this.#placed])
      run.stop('cancelled', this.#placed.has(run), 'the host closed');
    this.#watchdog.close();
    this.#pool.close();
    while (this.#pool.size > 0) {
      await new Promise<void>((resolve) => {
        this.#deaths = resolve;
      });
    }
  }

  #enqueue(request: SandboxRun, isProbe: boolean): Promise<RunOutcome> {
    if (this.#closed) return Promise.resolve(refused('cancelled', 'the host is closed'));
    if (request.signal?.aborted) return Promise.resolve(refused('cancelled'));
    const quarantine = isProbe ? undefined : this.#quarantine.reason(request.program);
    if (quarantine !== undefined) return Promise.resolve(refused('quarantined', quarantine));
    const { length } = this.#queue;
    if (length >= (this.#options.maxQueued ?? 4_096))
      return Promise.resolve(refused('busy', `${length} calls are waiting in all, which is the most`));
    const run = new Run(
      request,
      isProbe,
      (late) => this.#onDeadline(late),
      (settled) => this.#onSettled(settled),
    );
    const place = this.#queue.enter(run, this.#placeFor);
    if (place !== undefined) {
      this.#send(run, place);
      return run.outcome;
    }
    const full = this.#queue.add(run);
    if (full !== undefined) {
      const { running, waiting } = full;
      run.stop(
        'busy',
        false,
        `${running} calls of it are running and ${waiting} are waiting; this one would be number ${waiting + 1} in its queue`,
      );
      return run.outcome;
    }
    this.#pump();
    return run.outcome;
  }

  #pump(): void {
    if (this.#closed) return;
    for (;;) {
      const next = this.#queue.take(this.#placeFor);
      if (next === undefined) return;
      this.#send(next.run, next.place);
    }
  }

  #send(run: Run, worker: Worker): void {
    this.#placed.add(run);
    worker.send(run);
    this.#watchdog.wake();
  }

  #onSettled(run: Run): void {
    if (!run.isProbe && run.cpuMs > 0) this.#paces.record(run.request.program.name, run.cpuMs);
    if (this.#placed.delete(run)) this.#queue.finished(run);
    else this.#queue.remove(run);
    if (this.#queue.length > 0) queueMicrotask(() => this.#pump());
  }

  #onFree(worker: Worker): void {
    if (worker.depth === 0 && worker.runCount === 0) {
      this.#watchdog.expectQuiet(worker);
      this.#pool.resting(worker);
    }
    this.#watchdog.wake();
    this.#pump();
  }

  #onDeadline(run: Run, isSure = false): void {
    const worker = this.#pool.workerOf(run);
    if (worker === undefined) return run.stop('timeout', false, LATE);
    if (worker.awaitsStart(run)) {
      // That it has begun may be on its way here; the worker begins nothing after its deadline.
      if (!isSure) return void setTimeout(() => run.settled || this.#onDeadline(run, true), IN_FLIGHT_MS);
      worker.drop(run);
      return run.stop('timeout', false, LATE);
    }
    // Inside the guest the interrupt is due now; the watchdog kills the worker if it does not come.
    if (worker.isRunning(run)) return this.#watchdog.wake();
    const { waitingOn } = run;
    worker.drop(run);
    this.#watchdog.wake();
    run.stop(
      'timeout',
      true,
      waitingOn === undefined
        ? 'it waited for something that did not come'
        : `it waited on the host (${waitingOn})`,
    );
  }

  #onDeath(death: WorkerDeath): void {
    const { worker, running, forgotten, begun, untouched } = death;
    this.#pool.forget(worker);
    if (!worker.isReady && death.exit.cause === undefined && !isNobodysFault(death)) this.#failedStarts += 1;
    for (const run of running === undefined ? begun : [running, ...begun]) run.noteBegun();
    if (running !== undefined && isNobodysFault(death)) this.#rescue(running, running.request.repeatable);
    else if (running !== undefined) this.#blame(running, death);
    else if (forgotten !== undefined && !isNobodysFault(death) && death.exit.cause === undefined)
      this.#quarantine.recordDeath(forgotten.request.program, verdictOn(death).reason);
    for (const run of begun) this.#rescue(run, run.request.repeatable);
    for (const run of untouched) this.#rescue(run, true);
    this.#deaths?.();
    if (this.#closed) return;
    if (this.#failedStarts >= MAX_FAILED_STARTS) this.#giveUp();
    this.#pool.keepSpare('shared');
    this.#pump();
  }

  #blame(run: Run, death: WorkerDeath): void {
    const { reason, detail } = verdictOn(death);
    this.#quarantine.recordDeath(run.request.program, reason);
    // Its own count died with the worker.
    run.cpuMs += death.runningMs;
    run.stop(reason, true, detail);
  }

  /** A bystander of another run's crash. */
  #rescue(run: Run, mayRunAgain: boolean): void {
    if (run.settled) return;
    if (!mayRunAgain || run.exhausted || this.#closed) {
      return run.stop(
        'sandbox_crashed',
        true,
        'the process that it ran in was ended from outside or by another call',
      );
    }
    this.#placed.delete(run);
    this.#queue.putBack(run);
  }

  #giveUp(): void {
    this.#failedStarts = 0;
    for (const run of this.#queue.drain()) run.stop('internal', false, 'no worker process can be started');
  }
}

function refused(
  reason: 'cancelled' | 'busy' | 'quarantined' | 'plugin_unavailable',
  detail?: string,
): RunOutcome {
  const usage = NO_USAGE;
  return { kind: 'stopped', reason, started: false, usage, ...(detail === undefined ? {} : { detail }) };
}
