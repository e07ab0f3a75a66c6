import { once } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** For how long a signal that comes again is taken for the same one, in milliseconds. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Aborts at the first Ctrl-C or when the process is told to end, so that what was begun can be taken back.
 *
 * Under `npx` one Ctrl-C comes twice, from the terminal and passed on by npm; the second must not kill what the first
 * began to tidy up. One that comes later ends the process, as it would without this.
 */
export function interruptible(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, abort);
  };
  const abort = () => {
    if (controller.signal.aborted) return;
    setTimeout(release, SAME_SIGNAL_MS).unref();
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      if (!controller.signal.aborted) release();
    },
  };
}

/** Resolves at Ctrl-C, when the process is told to end, or with what else may end the wait. Then Node may end by itself. */
export async function waitForInterrupt(orElse?: Promise<unknown>): Promise<void> {
  // Node would end by itself with nothing but unref'd handles open.
  const alive = setInterval(() => {}, 1 << 30);
  using interruption = interruptible();
  try {
    await Promise.race([once(interruption.signal, 'abort'), ...(orElse === undefined ? [] : [orElse])]);
  } finally {
    clearInterval(alive);
  }
}
