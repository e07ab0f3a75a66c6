import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Evaluate } from './read-exports.ts';

/** Runs a program behind the wall, where it may ask the host for nothing; it is gone afterwards. */
export function evaluateOnce(sandbox: Sandbox): Evaluate {
  return async (program, limits) => {
    const broker = async () => ({
      ok: false as const,
      error: { name: 'Error', message: 'the host can be asked during a call only' },
    });
    const outcome = await sandbox.run({
      program,
      argumentsJson: '{}',
      limits,
      repeatable: true,
      env: {},
      broker,
    });
    sandbox.retire(program);
    return outcome;
  };
}
