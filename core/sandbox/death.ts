import type { StopReason } from './sandbox.ts';
import type { WorkerDeath } from './worker-events.ts';

/** Why the run that was running when its worker died is over: from signal, limit and budget, never from a text. */
export function verdictOn({ exit, verdict }: WorkerDeath): {
  readonly reason: StopReason;
  readonly detail: string;
} {
  if (verdict !== undefined) return { reason: verdict, detail: exit.cause ?? 'its process was ended' };
  if (exit.cause !== undefined) return { reason: 'sandbox_crashed', detail: exit.cause };
  switch (exit.signal) {
    // How V8 ends a process that got no memory (abort or an illegal instruction, by build).
    case 'SIGABRT':
    case 'SIGTRAP':
    case 'SIGILL':
      return { reason: 'memory_limit', detail: 'its process ran out of memory' };
    case 'SIGXCPU':
      return { reason: 'cpu_limit', detail: 'its process used up its processor time' };
    default:
      return {
        reason: 'sandbox_crashed',
        detail: `its process ended (${exit.signal ?? `exit code ${exit.code}`})`,
      };
  }
}

/** SIGKILL that we did not send: an operator or the system did, and that says nothing about the code that ran. */
export function isNobodysFault({ exit, verdict }: WorkerDeath): boolean {
  return verdict === undefined && exit.cause === undefined && exit.signal === 'SIGKILL';
}
