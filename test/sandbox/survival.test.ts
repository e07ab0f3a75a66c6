import { afterEach, describe, expect, it } from 'vitest';
import type { RunOutcome, Sandbox } from '../../core/sandbox/sandbox.ts';
import { isAlive, openSandbox, program, request } from './programs.ts';

let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
});

const NATIVE_LOOP = 'return [].lastIndexOf.call({ length: Number.MAX_SAFE_INTEGER }, 1);';

describe('the death of a worker', () => {
  it('gives each call exactly one outcome when a random worker is killed 200 times under load', async () => {
    sandbox = await openSandbox();
    const live = sandbox;
    const add = program('add', 'if (args.wait) await ctx.storage.get("k"); return args.a + 1;');
    const answers = new Map<number, RunOutcome[]>();
    let sent = 0;
    let kills = 0;
    const caller = async () => {
      while (kills < 200) {
        const a = sent++;
        answers.set(a, []);
        const outcome = await live.run(
          request(add, { a, wait: a % 2 === 0 }, { repeatable: true, limits: { timeoutMs: 20_000 } }),
        );
        answers.get(a)?.push(outcome);
      }
    };
    const killer = async () => {
      while (kills < 200) {
        const victims = live.workers().filter(({ pid }) => pid > 0 && isAlive(pid));
        const victim = victims[Math.floor(Math.random() * victims.length)];
        if (victim !== undefined) {
          process.kill(victim.pid, 'SIGKILL');
          kills += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    };
    await Promise.all([...Array.from({ length: 8 }, caller), killer()]);
    for (const [a, outcomes] of answers) {
      expect(outcomes).toHaveLength(1);
      const [outcome] = outcomes;
      if (outcome?.kind === 'value') expect(outcome.json).toBe(String(a + 1));
      else expect(outcome).toMatchObject({ kind: 'stopped', reason: 'sandbox_crashed' });
    }
    expect(sandbox.quarantined()).toEqual([]);
    expect(await sandbox.run(request(add, { a: 1 }))).toMatchObject({ kind: 'value', json: '2' });
  }, 60_000);

  it('spares a bystander that may be run again, and tells one that may not', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const wait = program('wait', 'await ctx.storage.get("k"); return 1;');
    let asked = 0;
    const broker = async () => {
      asked += 1;
      if (asked <= 2) await new Promise((resolve) => setTimeout(resolve, 2_000));
      return { ok: true as const, json: '1' };
    };
    const repeatable = sandbox.run(request(wait, {}, { repeatable: true, broker }));
    const once = sandbox.run(request({ ...wait, name: 'once' }, {}, { repeatable: false, broker }));
    await expect.poll(() => asked).toBe(2);
    const killer = sandbox.run(request(program('killer', NATIVE_LOOP), {}, { limits: { cpuMs: 100 } }));
    expect(await killer).toMatchObject({ kind: 'stopped', reason: 'cpu_limit' });
    expect(await repeatable).toMatchObject({ kind: 'value' });
    expect(await once).toMatchObject({ kind: 'stopped', reason: 'sandbox_crashed', started: true });
  });

  it.each([
    ['then loops', "Promise.reject(new Error('a')); for (;;);", 'cpu_limit'],
    [
      'forgets an async function, then loops',
      "(async () => { throw new Error('a'); })(); for (;;);",
      'cpu_limit',
    ],
    [
      'rejects anew whenever it is read, then waits',
      'const again = { get message() { Promise.reject(again); return "m"; } }; Promise.reject(again); await new Promise(() => {});',
      'timeout',
    ],
    [
      'rejects while it is read, then answers',
      'Promise.reject({ get message() { Promise.reject(new Error("b")); return "m"; } }); return 1;',
      undefined,
    ],
  ])('does not come of a rejection that nobody handles: a call that %s', async (_what, body, reason) => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const live = sandbox;
    const [pid] = await live.run(request(program('first', 'return 1;'))).then(() => pidsOf(live));
    const rejects = program('rejects', body);
    for (let n = 0; n < 4; n += 1) {
      const outcome = await live.run(request(rejects, {}, { limits: { cpuMs: 60, timeoutMs: 150 } }));
      expect(outcome).toMatchObject(
        reason === undefined ? { kind: 'value', json: '1' } : { kind: 'stopped', reason },
      );
    }
    expect(await live.run(request(program('after', 'return 2;')))).toMatchObject({
      kind: 'value',
      json: '2',
    });
    expect(pidsOf(live)).toEqual([pid]);
    expect(live.quarantined()).toEqual([]);
  });

  it('is not forgotten by a run that had begun: it ends as one that may have had effects', async () => {
    sandbox = await openSandbox({ workers: 1, maxProcesses: 1 });
    const live = sandbox;
    let asked = 0;
    const broker = async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return { ok: true as const, json: '1' };
    };
    const works = program('works', 'await ctx.storage.get("k"); return 1;');
    const run = live.run(request(works, {}, { repeatable: true, broker, limits: { timeoutMs: 250 } }));
    await expect.poll(() => asked).toBe(1);
    for (const pid of pidsOf(live)) process.kill(pid, 'SIGKILL');
    expect(await run).toMatchObject({ kind: 'stopped', reason: 'timeout', started: true });
  });

  it('puts a plugin that keeps killing workers into quarantine until it is edited or released', async () => {
    sandbox = await openSandbox({ quarantine: { deaths: 2, windowMs: 60_000 } });
    const killer = program('killer', NATIVE_LOOP);
    const limits = { cpuMs: 50 };
    for (let index = 0; index < 2; index += 1) {
      expect(await sandbox.run(request(killer, {}, { limits }))).toMatchObject({ reason: 'cpu_limit' });
    }
    expect(await sandbox.run(request(killer, {}, { limits }))).toMatchObject({
      kind: 'stopped',
      reason: 'quarantined',
      started: false,
    });
    expect(sandbox.quarantined()).toMatchObject([{ name: 'killer' }]);
    const edited = program('killer', 'return 1;');
    expect(await sandbox.run(request(edited))).toMatchObject({ kind: 'value', json: '1' });
    expect(sandbox.release('killer')).toBe(true);
    expect(await sandbox.run(request(killer, {}, { limits }))).toMatchObject({ reason: 'cpu_limit' });
  });

  it('leaves no process behind when it is closed in the middle of an attack', async () => {
    const opened = await openSandbox();
    const attack = opened.run(request(program('killer', NATIVE_LOOP)));
    await expect.poll(() => opened.workers().some(({ calls }) => calls > 0)).toBe(true);
    const pids = opened.workers().map(({ pid }) => pid);
    await opened.close();
    expect(await attack).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('gives strangers a process of their own, ends idle ones, and keeps their number bounded', async () => {
    sandbox = await openSandbox({ maxProcesses: 4, idleMs: 200 });
    const live = sandbox;
    const strangers = Array.from({ length: 6 }, (_, index) =>
      program(`stranger${index}`, 'return args.n;', { isolation: 'dedicated' }),
    );
    let most = 0;
    const outcomes = await Promise.all(
      strangers.map(async (stranger, n) => {
        const outcome = await live.run(request(stranger, { n }, { limits: { timeoutMs: 20_000 } }));
        most = Math.max(most, live.workers().length);
        return outcome;
      }),
    );
    expect(outcomes.map((outcome) => (outcome.kind === 'value' ? outcome.json : outcome))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    expect(most).toBeLessThanOrEqual(4);
    await expect.poll(() => live.workers().length, { timeout: 5_000 }).toBeLessThanOrEqual(2);
  });
});

describe('state', () => {
  it('gives each call a fresh world unless the plugin asks for a warm one', async () => {
    sandbox = await openSandbox();
    const counting = (state: 'fresh' | 'session' | 'plugin') =>
      program(`count_${state}`, 'count += 1; return count;', { state, before: 'let count = 0;' });
    const answers = async (state: 'fresh' | 'session' | 'plugin', sessions: string[]) => {
      const found: unknown[] = [];
      for (const session of sessions) {
        const outcome = await sandbox?.run(request(counting(state), {}, { session }));
        found.push(outcome?.kind === 'value' ? Number(outcome.json) : outcome);
      }
      return found;
    };
    expect(await answers('fresh', ['a', 'a', 'b'])).toEqual([1, 1, 1]);
    expect(await answers('session', ['a', 'a', 'b'])).toEqual([1, 2, 1]);
    expect(await answers('plugin', ['a', 'a', 'b'])).toEqual([1, 2, 3]);
  });
});

function pidsOf(live: Sandbox): number[] {
  return live.workers().map(({ pid }) => pid);
}

it('never more processes than allowed live at a time, whoever asks for them', async () => {
  const most = 4;
  const live = await openSandbox({ workers: 2, maxProcesses: most });
  const names = Array.from({ length: 10 }, (_, n) => n);
  let seen = 0;
  const watch = setInterval(() => {
    seen = Math.max(seen, live.workers().length);
  }, 1);
  const outcomes = await Promise.all(
    names.map((n) =>
      live.run(
        request(program(`tool${n}`, 'return 1;', { isolation: n % 2 === 0 ? 'shared' : 'dedicated' })),
      ),
    ),
  );
  clearInterval(watch);
  await live.close();
  expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'value'));
  expect(seen).toBeLessThanOrEqual(most);
});
