import { afterEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxProgram } from '../../core/sandbox/sandbox.ts';
import { openSandbox, program, request } from './programs.ts';

let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
});

const LIMITS = { concurrency: 1, queue: 40, timeoutMs: 20_000 };

/** Sends so many calls at once and tells how many have been answered so far. */
function flood(live: Sandbox, target: SandboxProgram, session: string, count: number) {
  const state = { answered: 0 };
  const all = Array.from({ length: count }, () =>
    live.run(request(target, {}, { session, limits: LIMITS })).then(() => {
      state.answered += 1;
    }),
  );
  return { state, done: Promise.all(all) };
}

describe('a call that waits for a place', () => {
  it('is not held up by another session that calls the same tool again and again', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const tool = program('slow', 'await ctx.storage.get("k"); return 1;');
    const noisy = flood(sandbox, tool, 'noisy', 30);
    await sandbox.run(request(tool, {}, { session: 'quiet', limits: LIMITS }));
    expect(noisy.state.answered).toBeLessThanOrEqual(3);
    await noisy.done;
  });

  it('is not held up by a tool that is called again and again', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const noisy = flood(sandbox, program('noisy', 'await ctx.storage.get("k"); return 1;'), 'one', 30);
    await sandbox.run(request(program('quiet', 'return 1;'), {}, { limits: LIMITS }));
    expect(noisy.state.answered).toBeLessThanOrEqual(3);
    await noisy.done;
  });

  it.each([
    ['was never called before', 'return 2;', 0],
    ['takes longer than they do', 'const t = Date.now(); while (Date.now() - t < 12); return 2;', 3],
  ])(
    'gets its turn among short calls that follow one another, when its tool %s',
    async (_what, body, before) => {
      sandbox = await openSandbox();
      const live = sandbox;
      const short = program('short', 'return 1;');
      const other = program('other', body);
      for (let n = 0; n < before; n += 1) await live.run(request(other));
      let [over, answered] = [false, 0];
      const callers = Array.from({ length: 16 }, async () => {
        while (!over) {
          await live.run(request(short));
          answered += 1;
        }
      });
      await expect.poll(() => answered).toBeGreaterThan(100);
      const already = answered;
      const outcome = await live.run(request(other));
      over = true;
      expect(outcome).toMatchObject({ kind: 'value', json: '2' });
      expect(answered - already).toBeLessThan(2_000);
      await Promise.all(callers);
    },
  );

  it('is not ended in the spare process when another plugin needs the place', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 2 });
    const live = sandbox;
    let asked = 0;
    const broker = async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { ok: true as const, json: '1' };
    };
    const waits = program('waits', 'await ctx.storage.get("k"); return 1;');
    await live.run(request(waits));
    const computes = program('computes', 'const t = Date.now(); while (Date.now() - t < 600); return 1;');
    const long = live.run(request(computes));
    await expect.poll(() => live.workers().filter(({ calls }) => calls > 0)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const short = live.run(request(waits, {}, { broker }));
    await expect.poll(() => asked).toBe(1);
    const alone = live.run(request(program('alone', 'return 3;', { isolation: 'dedicated' })));
    expect(await short).toMatchObject({ kind: 'value' });
    expect(await alone).toMatchObject({ kind: 'value', json: '3' });
    expect(await long).toMatchObject({ kind: 'value' });
  });

  it('goes by tools that compute for long in every worker', async () => {
    sandbox = await openSandbox();
    const live = sandbox;
    const computes = program('computes', 'const t = Date.now(); while (Date.now() - t < 150); return 1;');
    const quick = program('quick', 'return 1;');
    await live.run(request(quick));
    let pending = true;
    const all = Promise.all(
      Array.from({ length: 12 }, () => live.run(request(computes, {}, { limits: LIMITS }))),
    );
    void all.finally(() => {
      pending = false;
    });
    const waits: number[] = [];
    while (pending) {
      const began = performance.now();
      expect(await live.run(request(quick))).toMatchObject({ kind: 'value' });
      waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // One turn behind another is 150 ms.
    expect(waits.toSorted((one, other) => one - other)[waits.length >> 1]).toBeLessThan(75);
    expect(waits.length).toBeGreaterThan(10);
  });

  it('did not run, and never will, when its time is over before its turn comes', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const live = sandbox;
    const tool = program(
      'counts',
      'n += 1; const t = Date.now(); while (Date.now() - t < args.ms); return n;',
      {
        state: 'session',
        before: 'let n = 0;',
      },
    );
    const run = (session: string, ms: number, timeoutMs = 5_000) =>
      live.run(request(tool, { ms }, { session, limits: { timeoutMs } }));
    // Known to be short, so the next one is sent to the worker while this one runs.
    for (const json of ['1', '2', '3']) expect(await run('late', 0)).toMatchObject({ json });
    const [long, late] = await Promise.all([run('long', 700), run('late', 0, 200)]);
    expect(long).toMatchObject({ kind: 'value' });
    expect(late).toMatchObject({ kind: 'stopped', reason: 'timeout', started: false });
    expect(await run('late', 0)).toMatchObject({ json: '4' });
  });

  it('follows earlier calls of its own session, and takes turns with another', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const live = sandbox;
    const tool = program('orders', 'await ctx.storage.get("k"); return args.n;');
    const order: string[] = [];
    const call = (session: string, n: number) =>
      live.run(request(tool, { n }, { session, limits: LIMITS })).then(() => order.push(`${session}${n}`));
    await Promise.all([call('a', 1), call('a', 2), call('a', 3), call('b', 1), call('b', 2)]);
    expect(order.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(order.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
  });

  it('is answered busy with its place in the queue when that is full, and nothing is kept of it', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const tool = program('slow', 'await ctx.storage.get("k"); return 1;');
    const noisy = flood(sandbox, tool, 'noisy', 41);
    expect(await sandbox.run(request(tool, {}, { limits: LIMITS }))).toMatchObject({
      kind: 'stopped',
      reason: 'busy',
      started: false,
      detail: expect.stringContaining('number'),
    });
    await noisy.done;
    expect(noisy.state.answered).toBe(41);
  });

  it('leaves the queue when it is cancelled, and the ones behind it move up', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const tool = program('slow', 'await ctx.storage.get("k"); return 1;');
    const noisy = flood(sandbox, tool, 'noisy', 40);
    const controller = new AbortController();
    const cancelled = sandbox.run(request(tool, {}, { signal: controller.signal, limits: LIMITS }));
    controller.abort();
    expect(await cancelled).toMatchObject({ kind: 'stopped', reason: 'cancelled', started: false });
    expect(await sandbox.run(request(tool, {}, { limits: LIMITS }))).toMatchObject({ kind: 'value' });
    await noisy.done;
  });
});
