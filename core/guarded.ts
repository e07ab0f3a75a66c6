/** Calls a listener whose mistake must neither stop who tells it nor, where it promises something, end the process. */
export function guarded(listener: () => unknown, failed: (error: unknown) => void): void {
  try {
    const told = listener();
    if (told instanceof Promise) told.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** For a listener's mistake that nobody else can be told of. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** As `onProblem` tells of it. */
export function faultOf(stage: string, error: unknown): { readonly message: string } {
  return { message: `a fault in ${stage}: ${error instanceof Error ? error.message : 'unknown'}` };
}
