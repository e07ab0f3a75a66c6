import type { RunUsage } from './sandbox.ts';

/** Of what ran in no isolate. */
export const NO_USAGE: RunUsage = { cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 };
