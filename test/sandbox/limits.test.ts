import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../core/config/limits.ts';
import type { Sandbox, StopReason } from '../../core/sandbox/sandbox.ts';
import { type echo, openSandbox, program, request } from './programs.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
  // Until a worker stands, a call waits for its place.
  await sandbox.run(request(program('first', 'return 1;')));
});
afterAll(() => sandbox.close());

const CASES: { limit: keyof Limits; reason: StopReason; body: string; limits: Partial<Limits> }[] = [
  { limit: 'timeoutMs', reason: 'timeout', body: 'await new Promise(() => {});', limits: { timeoutMs: 200 } },
  { limit: 'cpuMs', reason: 'cpu_limit', body: 'for (;;) {}', limits: { cpuMs: 100 } },
  {
    limit: 'cpuMs',
    reason: 'cpu_limit',
    body: 'return [].lastIndexOf.call({ length: Number.MAX_SAFE_INTEGER }, 1);',
    limits: { cpuMs: 100 },
  },
  {
    limit: 'cpuMs',
    reason: 'cpu_limit',
    body: 'for (let i = 0; i < 900; i++) setInterval(() => {}, 0); await new Promise(() => {});',
    limits: { cpuMs: 100, timeoutMs: 20_000 },
  },
  {
    limit: 'cpuMs',
    reason: 'cpu_limit',
    body: 'const again = () => { AbortSignal.timeout(0).onabort = again; }; for (let i = 0; i < 900; i++) again(); await new Promise(() => {});',
    limits: { cpuMs: 100, timeoutMs: 20_000 },
  },
  {
    limit: 'memoryMb',
    reason: 'memory_limit',
    body: 'const all = []; for (;;) all.push([all.length]);',
    limits: { memoryMb: 16, cpuMs: 5_000 },
  },
  {
    limit: 'resultBytes',
    reason: 'output_limit',
    body: "return 'x'.repeat(2000);",
    limits: { resultBytes: 1_000 },
  },
  {
    limit: 'logBytes',
    reason: 'output_limit',
    body: "for (let i = 0; i < 20; i++) ctx.log.info('x'.repeat(100)); return 1;",
    limits: { logBytes: 1_000 },
  },
  {
    limit: 'logBytes',
    reason: 'output_limit',
    body: "for (let i = 0; i < 20; i++) ctx.progress('x'.repeat(100)); return 1;",
    limits: { logBytes: 1_000 },
  },
  {
    limit: 'hostCalls',
    reason: 'host_call_limit',
    body: "for (let i = 0; i < 6; i++) await ctx.storage.get('k'); return 1;",
    limits: { hostCalls: 5 },
  },
];

describe('each limit ends the call with its own code', () => {
  it.each(CASES)('$limit gives $reason ($body)', async ({ reason, body, limits }) => {
    const outcome = await sandbox.run(request(program('breaker', body), {}, { limits }));
    expect(outcome).toMatchObject({ kind: 'stopped', reason, started: true });
  });

  it.each(CASES.filter(({ limit }) => limit !== 'memoryMb' && limit !== 'timeoutMs' && limit !== 'cpuMs'))(
    '$limit lets the same code through when it is not reached ($body)',
    async ({ body }) => {
      expect(await sandbox.run(request(program('breaker', body)))).toMatchObject({ kind: 'value' });
    },
  );

  it('counts processor time over all entries of a call, so that short bursts after awaits add up', async () => {
    const body =
      "for (;;) { const end = Date.now() + 20; while (Date.now() < end); await ctx.storage.get('k'); }";
    const outcome = await sandbox.run(
      request(program('burst', body), {}, { limits: { cpuMs: 200, hostCalls: 10_000 } }),
    );
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'cpu_limit' });
  });

  it('does not count waiting on the host as processor time', async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      return { ok: true as const, json: '1' };
    };
    const outcome = await sandbox.run(
      request(
        program('waiter', "return await ctx.storage.get('k');"),
        {},
        { broker: slow, limits: { cpuMs: 100 } },
      ),
    );
    expect(outcome).toMatchObject({ kind: 'value', json: '1' });
  });

  it('says what a late call was waiting on', async () => {
    const never = () => new Promise<never>(() => {});
    const outcome = await sandbox.run(
      request(
        program('waiter', "return await ctx.storage.get('k');"),
        {},
        { broker: never, limits: { timeoutMs: 200 } },
      ),
    );
    expect(outcome).toMatchObject({
      kind: 'stopped',
      reason: 'timeout',
      detail: expect.stringContaining('storage.get'),
    });
  });

  it('answers busy once concurrency and queue of one plugin are full, and still serves another plugin', async () => {
    const slow = program('slow', 'await new Promise((r) => setTimeout(r, 300)); return 1;', {});
    const waiting = program('patient', "return await ctx.storage.get('k');");
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const gated = async () => {
      await gate;
      return { ok: true as const, json: '1' };
    };
    const limits = { concurrency: 2, queue: 3 };
    const runs = Array.from({ length: 8 }, () =>
      sandbox.run(request(waiting, {}, { broker: gated, limits })),
    );
    const other = await sandbox.run(request(program('other', 'return args.n;'), { n: 7 }));
    release();
    const outcomes = await Promise.all(runs);
    expect(other).toMatchObject({ kind: 'value', json: '7' });
    expect(outcomes.filter((outcome) => outcome.kind === 'value')).toHaveLength(5);
    expect(
      outcomes.filter(
        (outcome) => outcome.kind === 'stopped' && outcome.reason === 'busy' && !outcome.started,
      ),
    ).toHaveLength(3);
    expect(slow.name).toBe('slow');
  });

  it('stops a call that its caller cancels, and tells the plugin', async () => {
    const controller = new AbortController();
    const calls: string[] = [];
    const broker: typeof echo = async (call) => {
      calls.push(call.params);
      if (calls.length === 1) setTimeout(() => controller.abort(), 10);
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      return { ok: true, json: 'null' };
    };
    const outcome = await sandbox.run(
      request(
        program('long', "return await ctx.storage.get('first');"),
        {},
        { broker, signal: controller.signal },
      ),
    );
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(calls).toHaveLength(1);
  });

  it('kills a process whose buffers outgrow its memory though no heap limit counts them', async () => {
    const body =
      "const all = []; const words = ['de', 'fr', 'ar', 'th']; for (let i = 0; ; i++) all.push(new Intl.DateTimeFormat(words[i & 3], { dateStyle: 'full', timeZone: 'Europe/Berlin' }));";
    const outcome = await sandbox.run(
      request(program('native', body), {}, { limits: { cpuMs: 60_000, timeoutMs: 60_000 } }),
    );
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'memory_limit' });
  });
});

it('the time of a call does not bound the load of a plugin, which may wait for a worker to start', async () => {
  const live = await openSandbox();
  const limits = { ...DEFAULT_LIMITS, timeoutMs: 1 };
  expect(await live.probe(program('brief', 'return 1;'), limits)).toEqual({ ok: true });
  await live.close();
});
