import type { Run } from './run.ts';
import type { StopReason } from './sandbox.ts';
import type { Worker } from './worker.ts';
import type { WorkerExit } from './worker-process.ts';

export interface WorkerDeath {
  readonly worker: Worker;
  readonly exit: WorkerExit;
  /** What the host saw before it killed the process itself. */
  readonly verdict: StopReason | undefined;
  /** The run whose code was running, if any. */
  readonly running: Run | undefined;
  /** The run whose code was running although it had been answered: cancelled, or late. */
  readonly forgotten: Run | undefined;
  /** How long it had been running, milliseconds. */
  readonly runningMs: number;
  /** Runs that were here and had begun. */
  readonly begun: readonly Run[];
  /** Runs that were sent but had not begun. */
  readonly untouched: readonly Run[];
}

export interface WorkerListener {
  ready(worker: Worker): void;
  /** A run has left, or an entry has; there may be room for another. */
  free(worker: Worker): void;
  died(death: WorkerDeath): void;
}
