/** Resolves at Ctrl-C, or when the process is told to end. */
export function waitForInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    // Node would end by itself with nothing but unref'd handles open.
    const alive = setInterval(() => {}, 1 << 30);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve();
      });
    }
  });
}
