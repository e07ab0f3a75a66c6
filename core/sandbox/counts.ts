import type { CountsHead } from '../../sandbox/protocol.ts';
import type { Traffic } from './worker-process.ts';

/** What one worker has made and what it took to ask for it. Nothing here depends on the clock. */
export type WorkerCounts = CountsHead & Traffic;

const NOTHING: WorkerCounts = {
  framesSent: 0,
  bytesSent: 0,
  framesReceived: 0,
  bytesReceived: 0,
  isolates: 0,
  contexts: 0,
  compiles: 0,
};
const NAMES = Object.keys(NOTHING) as (keyof WorkerCounts)[]; // the literal above

export function addCounts(all: readonly (WorkerCounts | undefined)[]): WorkerCounts {
  const sum = { ...NOTHING };
  for (const counts of all) for (const name of NAMES) sum[name] += counts?.[name] ?? 0;
  return sum;
}
