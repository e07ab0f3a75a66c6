import type { ResultHead } from '../../sandbox/protocol.ts';
import type { Run } from './run.ts';
import type { StopReason } from './sandbox.ts';
import { isJson, ProtocolError, readThrown, readUnserialisable } from './worker-messages.ts';

/** Why a run that has not begun is over. */
export const LATE = 'it waited for a free place';

/** Ends a run with what its worker says of it. Throws {@link ProtocolError} where no guest would say so. */
export function settleRun(
  run: Run,
  { form, reason = 'internal' }: Pick<ResultHead, 'form'> & { readonly reason?: StopReason },
  body: string,
): void {
  switch (form) {
    case 'stopped':
      return run.stop(reason, true);
    case 'late':
      return run.stop('timeout', false, LATE);
    case 'thrown':
      return run.settle({ kind: 'thrown', error: readThrown(body) });
    case 'unserialisable':
      return run.settle({ kind: 'unserialisable', ...readUnserialisable(body) });
    case 'void':
      return run.settle({ kind: 'value', json: undefined });
    case 'value':
      // A worker that plugin code has taken over could send what the guest never would.
      if (Buffer.byteLength(body) > run.request.limits.resultBytes) return run.stop('output_limit', true);
      if (!isJson(body)) throw new ProtocolError('a result that is no JSON');
      return run.settle({ kind: 'value', json: body });
  }
}
