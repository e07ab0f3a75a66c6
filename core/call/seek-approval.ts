import type { Tool } from '../catalog/tool.ts';
import type { Trace } from './answer.ts';
import type { ReadArguments } from './arguments/read-arguments.ts';
import type { Approval, CallContext } from './call.ts';
import { detailLine } from './errors/classify-thrown.ts';
import { toolError } from './errors/error-table.ts';
import { type Eventually, whenThere } from './eventually.ts';
import type { Runtime } from './runtime.ts';
import { failed, type Step } from './step.ts';

/** Asks whoever must be asked whether the call may run. */
export function seekApproval(
  runtime: Runtime,
  tool: Tool,
  { value }: ReadArguments,
  call: CallContext,
  trace: Trace,
): Eventually<Step<null>> {
  const { dependencies, catalogue } = runtime;
  const about = { tool: tool.manifest.name };
  const asked = dependencies.approve?.(tool, value, call) ?? APPROVED;
  const settled = asked instanceof Promise ? untilAborted(asked, call.signal) : asked;
  return whenThere(settled, (approval): Step<null> => {
    if (approval === ABORTED || call.signal?.aborted === true)
      return failed(toolError(catalogue, 'cancelled', { ...about, started: false }));
    trace.approval = approval.kind;
    if (approval.kind === 'approved') return APPROVED_STEP;
    const detail =
      approval.kind === 'refused' && approval.reason !== undefined ? detailLine(approval.reason) : undefined;
    return failed(toolError(catalogue, 'not_approved', { ...about, reason: approval.kind, detail }));
  });
}

const APPROVED: Approval = { kind: 'approved' };
const APPROVED_STEP = { ok: true, value: null } as const;
const ABORTED = Symbol('aborted');

/** A person may take for ever to answer; an abort must not wait for them. */
async function untilAborted<Value>(
  pending: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | typeof ABORTED> {
  if (signal === undefined) return pending;
  const aborted = Promise.withResolvers<typeof ABORTED>();
  const onAbort = (): void => aborted.resolve(ABORTED);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
