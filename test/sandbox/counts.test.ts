import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type SupervisedSandbox } from '../../core/sandbox/create-sandbox.ts';
import type { SandboxRun } from '../../core/sandbox/sandbox.ts';
import { OPTIONS, program, request } from './programs.ts';

/*
 * What a call costs, in numbers that no clock and no busy machine can change. A bound that has to be raised is a
 * regression: say in the commit what it buys.
 */

let sandbox: SupervisedSandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
});

type Counts = Awaited<ReturnType<SupervisedSandbox['counts']>>;

/** What `work` took, the question and its answer taken off. */
async function costOf(live: SupervisedSandbox, work: () => Promise<unknown>): Promise<Counts> {
  const silent = await live.counts();
  const before = await live.counts();
  await work();
  const after = await live.counts();
  const cost = { ...after };
  for (const key of Object.keys(after) as (keyof Counts)[]) {
    const question = key.startsWith('frames') || key.startsWith('bytes') ? before[key] - silent[key] : 0;
    cost[key] = after[key] - before[key] - question;
  }
  return cost;
}

async function runAll(live: SupervisedSandbox, runs: readonly SandboxRun[]): Promise<void> {
  for (const run of runs) expect(await live.run(run)).toMatchObject({ kind: 'value' });
}

const repeat = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** One process, so that no spare one is counted. */
async function open(): Promise<SupervisedSandbox> {
  sandbox = await createSandbox({ ...OPTIONS, workers: 1, maxProcesses: 1 });
  return sandbox;
}

const addOne = (state: 'fresh' | 'plugin') => program(`add_one_${state}`, 'return args.n + 1;', { state });

describe('a call costs', () => {
  it('one message each way when it asks the host for nothing', async () => {
    const live = await open();
    const add = addOne('plugin');
    await runAll(live, [request(add, { n: 0 })]);
    const cost = await costOf(live, () =>
      runAll(
        live,
        repeat(50, (n) => request(add, { n })),
      ),
    );
    expect(cost).toMatchObject({ framesSent: 50, framesReceived: 50 });
  });

  it('a few hundred bytes besides its arguments and its result', async () => {
    const live = await open();
    const echo = program('echo', 'return args.text;', { state: 'plugin' });
    await runAll(live, [request(echo, { text: '' })]);
    const small = await costOf(live, () => runAll(live, [request(echo, { text: '' })]));
    expect(small.bytesSent).toBeLessThanOrEqual(125);
    expect(small.bytesReceived).toBeLessThanOrEqual(120);
    const large = await costOf(live, () => runAll(live, [request(echo, { text: 'x'.repeat(100_000) })]));
    expect(large.bytesSent).toBeLessThanOrEqual(100_125);
    expect(large.bytesReceived).toBeLessThanOrEqual(100_120);
  });

  it('no context and no compilation in a warm one', async () => {
    const live = await open();
    const add = addOne('plugin');
    await runAll(live, [request(add, { n: 0 })]);
    const cost = await costOf(live, () =>
      runAll(
        live,
        repeat(50, (n) => request(add, { n })),
      ),
    );
    expect(cost).toMatchObject({ isolates: 0, contexts: 0, compiles: 0 });
  });

  it('one context in a fresh one, and at most one that is made ahead', async () => {
    const live = await open();
    const add = addOne('fresh');
    await runAll(live, [request(add, { n: 0 })]);
    const cost = await costOf(live, () =>
      runAll(
        live,
        repeat(40, (n) => request(add, { n })),
      ),
    );
    expect(cost.contexts).toBeGreaterThanOrEqual(39);
    expect(cost.contexts).toBeLessThanOrEqual(41);
  });

  it('one isolate in 64 fresh calls, which compiles the guest and the bundle once', async () => {
    const live = await open();
    const add = addOne('fresh');
    const cost = await costOf(live, () =>
      runAll(
        live,
        repeat(256, (n) => request(add, { n })),
      ),
    );
    expect(cost.isolates).toBeLessThanOrEqual(5);
    // The first isolate may have been made ahead, before the counting began.
    expect(cost.compiles).toBeLessThanOrEqual((cost.isolates + 1) * 2);
  });

  it('no more isolates than calls that run at the same time', async () => {
    const live = await open();
    const add = program('asks', 'await ctx.storage.get("k"); return 1;');
    const calls = repeat(32, () => request(add, {}, { limits: { concurrency: 4, queue: 64 } }));
    const cost = await costOf(live, () => Promise.all(calls.map((call) => live.run(call))));
    expect(cost.isolates).toBeLessThanOrEqual(4);
  });

  it('two messages from the worker and one to it for a host call', async () => {
    const live = await open();
    const asks = program(
      'asks',
      'for (let i = 0; i < args.n; i += 1) await ctx.storage.get("k"); return 1;',
      {
        state: 'plugin',
      },
    );
    await runAll(live, [request(asks, { n: 0 })]);
    const cost = await costOf(live, () => runAll(live, [request(asks, { n: 100 })]));
    expect(cost).toMatchObject({ framesSent: 101, framesReceived: 201 });
  });
});

describe('an idle worker', () => {
  it('gets no message and makes nothing', async () => {
    const live = await open();
    const add = addOne('fresh');
    await runAll(live, [request(add, { n: 0 })]);
    const rest = () => new Promise((resolve) => setTimeout(resolve, 400));
    await rest();
    const cost = await costOf(live, rest);
    expect(cost).toMatchObject({ framesSent: 0, framesReceived: 0, contexts: 0, isolates: 0, compiles: 0 });
  });
});
