import {
  type Attributes,
  context,
  createNoopMeter,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelemetry, type TelemetryOptions } from '../../core/audit/index.ts';
import type { CallResult } from '../../core/call/result.ts';

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  status?: SpanStatus;
  ended: boolean;
}

let spans: Recorded[];
let points: [name: string, labels: Attributes | undefined][];
let broken: boolean;

/** The other side of the API: an SDK that keeps what it is given. */
beforeEach(() => {
  spans = [];
  points = [];
  broken = false;
  const startSpan = (name: string, options: SpanOptions = {}): Span => {
    if (broken) throw new Error('the exporter is broken');
    const recorded: Recorded = { name, attributes: { ...options.attributes }, ended: false };
    spans.push(recorded);
    const span = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
    return Object.assign(Object.create(span), {
      setAttribute: (key: string, value: string) => Object.assign(recorded.attributes, { [key]: value }),
      setStatus: (status: SpanStatus) => Object.assign(recorded, { status }),
      end: () => Object.assign(recorded, { ended: true }),
    }) as Span; // the rest of a span, from the API's own
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan,
      startActiveSpan: () => {
        throw new Error('not used');
      },
    }),
  });
  const note = (name: string) => (_value: number, labels?: Attributes) => void points.push([name, labels]);
  const meter: Meter = Object.assign(Object.create(createNoopMeter()), {
    createHistogram: (name: string) => ({ record: note(name) }),
    createCounter: (name: string) => ({ add: note(name) }),
  }) as Meter; // the rest of a meter, from the API's own
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
});

afterEach(() => {
  trace.disable();
  metrics.disable();
  context.disable();
});

const usage = { wallMs: 1, cpuMs: 1, heapBytes: 1, queuedMs: 0, hostCalls: 0 };
const success: CallResult = { ok: true, content: 'sunny', tool: { name: 'weather' }, usage };

function failure(code: 'timeout' | 'unknown_tool'): CallResult {
  const error = { code, message: 'secret words', outcome: 'unknown', retry: 'never' } as const;
  return { ok: false, content: 'Error', tool: { name: 'weather' }, usage, error };
}

async function traced(result: CallResult, options: TelemetryOptions = {}) {
  const answered = createTelemetry(options).trace({ name: 'weather', id: 'call_1' }, async (span) => {
    span.setArguments('{"city":"Bern"}');
    return result;
  });
  expect(await answered).toBe(result);
}

describe('telemetry', () => {
  it('makes one span a call by the GenAI conventions, without arguments and results', async () => {
    await traced(success);
    expect(spans).toEqual([
      {
        name: 'execute_tool weather',
        ended: true,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'weather',
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': 'call_1',
        },
      },
    ]);
  });

  it('adds arguments and results where they are asked for', async () => {
    await traced(success, { recordArguments: true, recordResults: true });
    expect(spans[0]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"city":"Bern"}',
      'gen_ai.tool.call.result': 'sunny',
    });
  });

  it('gives a failure its error.type and not its words', async () => {
    await traced(failure('timeout'));
    expect(spans[0]).toMatchObject({
      attributes: { 'error.type': 'timeout' },
      status: { code: 2, message: 'timeout' },
    });
    expect(JSON.stringify(spans)).not.toContain('secret words');
  });

  it('counts and times calls, with no series for names that models invent', async () => {
    await traced(success);
    await traced(failure('unknown_tool'));
    expect(
      points.map(([name, labels]) => [name, labels?.['gen_ai.tool.name'], labels?.['error.type']]),
    ).toEqual([
      ['glovebox.tool.call.duration', 'weather', undefined],
      ['glovebox.tool.calls', 'weather', undefined],
      ['glovebox.tool.call.duration', '_unknown', 'unknown_tool'],
      ['glovebox.tool.calls', '_unknown', 'unknown_tool'],
    ]);
  });

  it('makes spans of calls within a call its children', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const storage = new AsyncLocalStorage<typeof ROOT_CONTEXT>();
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, work, self, ...args) =>
        storage.run(active, () => work.call(self as ThisParameterType<typeof work>, ...args)),
      bind: (_context, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    let inside: string | undefined;
    await createTelemetry().trace({ name: 'outer' }, async () => {
      inside = trace.getActiveSpan()?.spanContext().spanId;
      return success;
    });
    expect(inside).toBe('2'.repeat(16));
  });

  it('never makes a call fail', async () => {
    broken = true;
    await traced(success);
  });
});
