import { type Context, context, createTraceState, trace } from '@opentelemetry/api';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const MAX_TRACESTATE_CHARS = 512;

/** Runs the work as a part of the trace that a request's `_meta` names by W3C's `traceparent`; anything else is ignored. */
export function withinTrace<Value>(
  meta: Readonly<Record<string, unknown>> | undefined,
  work: () => Value,
): Value {
  const parent = parentOf(meta);
  return parent === undefined ? work() : context.with(parent, work);
}

function parentOf(meta: Readonly<Record<string, unknown>> | undefined): Context | undefined {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const state =
    typeof tracestate === 'string' && tracestate.length <= MAX_TRACESTATE_CHARS
      ? { traceState: createTraceState(tracestate) }
      : {};
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true, ...state });
}
