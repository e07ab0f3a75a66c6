import { DEFAULT_LIMITS } from '../config/limits.ts';
import type { RunOutcome, SandboxProgram, SandboxRun } from './sandbox.ts';

const ATTACKS = [
  {
    name: 'endless loop',
    code: 'var __plugin = { default() { for (;;) {} } };',
    allowed: ['cpu_limit', 'timeout'],
  },
  {
    name: 'memory bomb',
    code: 'var __plugin = { default() { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); } };',
    allowed: ['memory_limit', 'cpu_limit'],
  },
] as const;

const LIMITS = { ...DEFAULT_LIMITS, timeoutMs: 5_000, cpuMs: 400, memoryMb: 16 };

/**
 * Shows on this machine, before the first stranger's tool runs, that the wall stops an endless loop and a memory bomb.
 * Returns what was not stopped; empty when the wall holds.
 */
export async function selfTest(run: (request: SandboxRun) => Promise<RunOutcome>): Promise<string[]> {
  const outcomes = await Promise.all(
    ATTACKS.map(async ({ name, code, allowed }) => {
      const program: SandboxProgram = {
        name: `glovebox self-test: ${name}`,
        version: '1',
        code,
        state: 'fresh',
        isolation: 'dedicated',
      };
      const outcome = await run({
        program,
        argumentsJson: '{}',
        limits: LIMITS,
        repeatable: false,
        env: {},
        broker: async () => ({ ok: false, error: { name: 'Error', message: 'not here' } }),
      });
      const stopped = outcome.kind === 'stopped' && (allowed as readonly string[]).includes(outcome.reason); // widened to compare
      return stopped ? [] : [name];
    }),
  );
  return outcomes.flat();
}
