/** 0: it worked. 1: the call (or check) failed. 2: the command line or the config is wrong. */
export const ExitCode = { ok: 0, failed: 1, usage: 2 } as const;

/** A wrong command line; its message is all that the user sees. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
