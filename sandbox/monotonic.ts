/** From this process's own clock to the machine's, which all its processes share, milliseconds. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds on the machine's clock that never goes back: a moment in one process is the same moment in another. */
export function monotonicMs(): number {
  return performance.now() + OFFSET_MS;
}
