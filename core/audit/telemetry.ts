import {
  type Attributes,
  context,
  createNoopMeter,
  metrics,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { CallResult } from '../call/result.ts';

export interface TelemetryOptions {
  /** Put the arguments on the span: they may hold personal data. @defaultValue false */
  readonly recordArguments?: boolean;
  /** Put what the model reads on the span. @defaultValue false */
  readonly recordResults?: boolean;
}

export interface TracedCall {
  readonly name: string;
  readonly id?: string;
}

/** What the call's span learns while it runs. */
export interface CallSpan {
  /** JSON text, redacted. */
  setArguments(json: string): void;
}

/**
 * Spans (`execute_tool {name}`, by the GenAI conventions) and metrics of calls, through `@opentelemetry/api` alone:
 * without an SDK in the process all of this does nothing.
 */
export interface Telemetry {
  /** Runs the call within its span. Answers what `run` answers; telemetry never makes a call fail. */
  trace(call: TracedCall, run: (span: CallSpan) => Promise<CallResult>): Promise<CallResult>;
}

const SCOPE = 'glovebox';
const LONGEST_TEXT = 8_192;
/** Seconds; the boundaries that the GenAI conventions advise for durations. */
const BOUNDARIES = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const tracer = trace.getTracer(SCOPE);
  const meter = metrics.getMeter(SCOPE);
  const duration = meter.createHistogram('glovebox.tool.call.duration', {
    unit: 's',
    description: 'Time from a tool call to its answer.',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const calls = meter.createCounter('glovebox.tool.calls', {
    unit: '{call}',
    description: 'Tool calls answered.',
  });
  const isMetered = meter !== createNoopMeter();

  async function traceCall(call: TracedCall, run: Parameters<Telemetry['trace']>[1]): Promise<CallResult> {
    const started = performance.now();
    const span = attempt(() =>
      tracer.startSpan(`execute_tool ${call.name}`, {
        kind: SpanKind.INTERNAL,
        attributes: attributesOf(call),
      }),
    );
    const inside: CallSpan = {
      setArguments(json) {
        if (options.recordArguments)
          attempt(() => span?.setAttribute('gen_ai.tool.call.arguments', json.slice(0, LONGEST_TEXT)));
      },
    };
    const result = await (span
      ? context.with(trace.setSpan(context.active(), span), run, undefined, inside)
      : run(inside));
    attempt(() => {
      const error = result.ok ? {} : { 'error.type': result.error.code };
      const labels = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': labelOf(result),
        ...error,
      };
      duration.record((performance.now() - started) / 1_000, labels);
      calls.add(1, labels);
      if (span) endSpan(span, result, options);
    });
    return result;
  }

  return {
    trace: (call, run) => (isMetered || isTraced() ? traceCall(call, run) : run(NOBODYS_SPAN)),
  };
}

const NOBODYS_SPAN: CallSpan = { setArguments() {} };

/** An SDK may come after the host; until then a span would be nobody's. */
function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(SCOPE) !== undefined;
}

function attributesOf(call: TracedCall): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.type': 'function',
    ...(call.id === undefined ? {} : { 'gen_ai.tool.call.id': call.id }),
  };
}

function endSpan(span: Span, result: CallResult, options: TelemetryOptions): void {
  if (options.recordResults)
    span.setAttribute('gen_ai.tool.call.result', result.content.slice(0, LONGEST_TEXT));
  if (!result.ok) {
    span.setAttribute('error.type', result.error.code);
    // The code alone: a message may quote arguments, and those are opt-in.
    span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
  }
  span.end();
}

/** A model invents names; a metric must not get a new series for each. */
function labelOf(result: CallResult): string {
  return !result.ok && result.error.code === 'unknown_tool' ? '_unknown' : result.tool.name;
}

/** An exporter's fault is not the call's. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
