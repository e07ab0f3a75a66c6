import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, Writable } from 'node:stream';
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { afterEach, describe, expect, test } from 'vitest';
import { toCallToolResult } from '../../../../core/adapters/mcp/server/call-result.ts';
import { readJson } from '../../../../core/adapters/mcp/server/json-text.ts';
import { LineSplitter } from '../../../../core/adapters/mcp/server/line-splitter.ts';
import { LineTransport } from '../../../../core/adapters/mcp/server/line-transport.ts';
import { findHeaderMismatch } from '../../../../core/adapters/mcp/server/parameter-headers.ts';
import { ProgressSteps } from '../../../../core/adapters/mcp/server/progress.ts';
import { withinTrace } from '../../../../core/adapters/mcp/server/trace-context.ts';
import { createView } from '../../../../core/catalog/view.ts';
import { createHost } from '../../../../core/host.ts';

const usage = { wallMs: 1, cpuMs: 1, heapBytes: 1, queuedMs: 0, hostCalls: 0 };

describe('progress', () => {
  const told = (...values: unknown[]): unknown[] => {
    const steps = new ProgressSteps(() => 0);
    return values.map((value) => steps.next(value));
  };

  test('takes numbers, numbers with a total and a message, and anything else as a message', () => {
    expect(told(0, 0.5, { progress: 2, total: 10, message: 'two' })).toEqual([
      ...[{ progress: 0 }, { progress: 0.5 }, { progress: 2, total: 10, message: 'two' }],
    ]);
    expect(told('reading', { rows: 3 })).toEqual([
      ...[
        { progress: 1, message: 'reading' },
        { progress: 2, message: '{"rows":3}' },
      ],
    ]);
  });

  test('never falls and never stays: a message goes on a little above, a number without one is left out', () => {
    const [first, second, third, fourth] = told(5, 5, { progress: 3, message: 'again' }, 'words') as {
      progress: number;
    }[];
    expect(first?.progress).toBe(5);
    expect(second).toBeUndefined();
    expect(third?.progress).toBeGreaterThan(5);
    expect(fourth?.progress).toBeGreaterThan(third?.progress ?? 9);
    expect(told(Number.NaN, Number.POSITIVE_INFINITY)).toEqual([{ progress: 1 }, { progress: 2 }]);
  });

  test('lets so many through at once, and then one for each tenth of a second', () => {
    let now = 0;
    const steps = new ProgressSteps(() => now);
    let number = 0;
    const next = (): boolean => {
      number += 1;
      return steps.next(number) !== undefined;
    };
    expect(Array.from({ length: 1_000 }, next).filter(Boolean)).toHaveLength(100);
    now = 100;
    expect([next(), next()]).toEqual([true, false]);
  });
});

describe('a result', () => {
  test('has its parts as blocks of MCP, with a URI for every file', () => {
    const parts = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'file', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'file', data: 'AAAA', mimeType: 'application/pdf', name: 'a b.pdf' },
      { type: 'file', data: 'AAAA', mimeType: 'application/pdf', name: 'docs://a' },
      { type: 'file', data: 'AAAA', mimeType: 'application/pdf' },
    ] as const;
    const result = { ok: true, content: 'text', parts, tool: { name: 't' }, usage } as const;
    expect(toCallToolResult(result, false).content).toMatchObject([
      { type: 'text', text: 'text' },
      { type: 'image' },
      { type: 'audio', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'attachment:///a%20b.pdf', blob: 'AAAA' } },
      { type: 'resource', resource: { uri: 'docs://a' } },
      { type: 'resource', resource: { uri: 'attachment:///file-5' } },
    ]);
  });
});

describe('lines', () => {
  test('end at line feeds alone, wherever the pieces are cut', () => {
    const text = 'one\r\n\ntwo\u2028three\nfour';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = new LineSplitter(100);
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; at += size)
        for (const line of splitter.push(bytes.subarray(at, at + size)))
          lines.push(line.kind === 'line' ? line.bytes.toString() : 'too long');
      lines.push(splitter.end()?.toString() ?? '');
      expect(lines).toEqual(['one\r', '', 'two\u2028three', 'four']);
    }
  });

  test('are dropped where they are too long, and the next one is read', () => {
    const splitter = new LineSplitter(5);
    const kinds = [...splitter.push(Buffer.from('123456789')), ...splitter.push(Buffer.from('0\n12345\n'))];
    expect(kinds.map(({ kind }) => kind)).toEqual(['too_long', 'line']);
  });

  test('come together out of single bytes, and take little more memory than those', () => {
    const splitter = new LineSplitter(8 * 1024 * 1024);
    const length = 1_000_000;
    const before = process.memoryUsage();
    for (let count = 0; count < length; count++) for (const _ of splitter.push(Buffer.from('x'))) break;
    const after = process.memoryUsage();
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    expect(grown).toBeLessThan(64 * 1024 * 1024);
    const [line] = splitter.push(Buffer.from('\n'));
    expect(line?.kind === 'line' && line.bytes.toString() === 'x'.repeat(length)).toBe(true);
  });

  test('may hold brackets in texts, as many as they like', () => {
    expect(readJson(JSON.stringify({ a: '['.repeat(1_000), b: '\\"{{{' }))).toMatchObject({ ok: true });
    expect(readJson(`${'['.repeat(201)}${']'.repeat(201)}`)).toMatchObject({ ok: false });
  });
});

describe('answers that nobody reads', () => {
  test('hold up the lines that are read, and not the memory; once they are read all goes on', async () => {
    const input = new PassThrough();
    const waiting: (() => void)[] = [];
    let answers = 0;
    let isRead = false;
    const output = new Writable({
      write(chunk: Buffer, _encoding, next) {
        answers += chunk.toString().split('\n').length - 1;
        if (isRead) next();
        else waiting.push(next);
      },
    });
    const transport = new LineTransport({ input, output });
    await transport.start();
    const lines = 10_000;
    const chunk = Buffer.from('no message\n'.repeat(lines));
    let most = 0;
    for (let count = 0; count < 20; count++) {
      input.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, output.writableLength);
    }
    expect(most).toBeLessThan(5 * 1024 * 1024);
    isRead = true;
    waiting[0]?.();
    input.end();
    await transport.closed;
    while (output.writableLength > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toBe(20 * lines);
  });
});

describe('headers of arguments', () => {
  test('must say what the body says, where the schema names them', async () => {
    await using host = await createHost({ config: { plugins: [] }, watch: false });
    const where = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    const parameters = {
      type: 'object',
      properties: { where, size: { type: 'integer', 'x-mcp-header': 'Size' } },
    };
    host.tool({ name: 'find', description: 'Finds.', parameters }, () => 1);
    const view = createView({ list: () => host.catalog.tools() });
    const check = (args: object, headers: Readonly<Record<string, string>>): string | undefined =>
      findHeaderMismatch(view, { method: 'tools/call', params: { name: 'find', arguments: args } }, headers);
    const args = { where: { region: 'üß' }, size: 3 };
    const region = `=?base64?${Buffer.from('üß').toString('base64')}?=`;
    expect(check(args, { 'mcp-param-region': region, 'mcp-param-size': '3' })).toBeUndefined();
    expect(check(args, { 'mcp-param-region': region })).toContain('Size is missing');
    expect(check(args, { 'mcp-param-region': region, 'mcp-param-size': '4' })).toContain('differs');
    expect(check(args, { 'mcp-param-region': '=?base64?*?=', 'mcp-param-size': '3' })).toContain('base64');
    expect(check({}, { 'mcp-param-size': '3' })).toBeUndefined();
  });
});

describe('trace context', () => {
  const storage = new AsyncLocalStorage<Context>();

  afterEach(() => {
    context.disable();
  });

  const parentWithin = (meta: Readonly<Record<string, unknown>>) => {
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, work, thisArg, ...args) =>
        storage.run(active, () => work.call(thisArg as never, ...args)),
      bind: (_context, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    return withinTrace(meta, () => trace.getSpanContext(context.active()));
  };

  test('is that of the request: what runs in it belongs to the caller’s trace', () => {
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const traceparent = `00-${traceId}-${spanId}-01`;
    const parent = parentWithin({ traceparent, tracestate: 'vendor=value' });
    expect(parent).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(parent?.traceState?.get('vendor')).toBe('value');
  });

  test.each([
    ...[
      'nonsense',
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `ff-${'a'.repeat(32)}-b7ad6b7169203331-01`,
      7,
      null,
    ],
  ])('is left alone when it reads %j', (traceparent) => {
    expect(parentWithin({ traceparent })).toBeUndefined();
  });
});
