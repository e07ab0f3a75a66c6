/** Resolves at Ctrl-C, when the process is told to end, or with what else may end the wait. Then Node may end by itself. */
export async function waitForInterrupt(orElse?: Promise<unknown>): Promise<void> {
  // Node would end by itself with nothing but unref'd handles open.
  const alive = setInterval(() => {}, 1 << 30);
  const interrupted = Promise.withResolvers<void>();
  for (const signal of SIGNALS) process.once(signal, interrupted.resolve);
  try {
    await Promise.race([interrupted.promise, ...(orElse === undefined ? [] : [orElse])]);
  } finally {
    clearInterval(alive);
    for (const signal of SIGNALS) process.off(signal, interrupted.resolve);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
