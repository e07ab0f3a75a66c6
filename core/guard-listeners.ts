import type { HostOptions } from './host-options.ts';

/**
 * What a listener throws or rejects with must not stop the work that it was told of, nor end the process: plugins are
 * loaded and followed outside any call. It goes to `onProblem`; what `onProblem` itself fails with is a warning of Node's.
 */
export function guardListeners(options: HostOptions): HostOptions {
  const { onProblem, onLoading } = options;
  const tell = onProblem && guard(onProblem, warn);
  const failed = (error: unknown) => {
    const message = `a fault in onLoading: ${error instanceof Error ? error.message : 'unknown'}`;
    if (tell === undefined) warn(error);
    else tell({ message });
  };
  return {
    ...options,
    ...(tell === undefined ? {} : { onProblem: tell }),
    ...(onLoading === undefined ? {} : { onLoading: guard(onLoading, failed) }),
  };
}

function guard<Told extends readonly unknown[]>(
  listener: (...told: Told) => unknown,
  failed: (error: unknown) => void,
): (...told: Told) => void {
  return (...told) => {
    try {
      const heard = listener(...told);
      if (heard instanceof Promise) heard.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
