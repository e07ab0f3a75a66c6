import { faultOf, guarded, warn } from './guarded.ts';
import type { HostOptions } from './host-options.ts';

/**
 * What a listener throws or rejects with must not stop the work that it was told of, nor end the process: plugins are
 * loaded and followed outside any call. It goes to `onProblem`; what `onProblem` itself fails with is a warning of Node's.
 */
export function guardListeners(options: HostOptions): HostOptions {
  const { onProblem, onLoading } = options;
  const tell: HostOptions['onProblem'] = onProblem && ((problem) => guarded(() => onProblem(problem), warn));
  const failed = (error: unknown) => (tell ? tell(faultOf('onLoading', error)) : warn(error));
  const count: HostOptions['onLoading'] =
    onLoading && ((...progress) => guarded(() => onLoading(...progress), failed));
  return {
    ...options,
    ...(tell === undefined ? {} : { onProblem: tell }),
    ...(count === undefined ? {} : { onLoading: count }),
  };
}
