import { DEFAULTS } from '../config/index.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

let shared: Promise<Sandbox> | undefined;

/**
 * One sandbox for all plugins that a test file opens: starting a worker takes longer than most tests. Nothing closes it:
 * its processes don't keep Node alive and end with it.
 */
export function sharedSandbox(): Promise<Sandbox> {
  shared ??= createSandbox({ ...DEFAULTS.sandbox, workers: 1, maxProcesses: 3 });
  return shared;
}
