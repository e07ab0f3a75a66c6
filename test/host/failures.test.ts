import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallFailure } from '../../core/call/result.ts';
import { createHost, type Host } from '../../core/index.ts';
import { temporaryRoot, writePlugin } from './temporary-plugins.ts';

let root: Awaited<ReturnType<typeof temporaryRoot>>;
let host: Host;
const logs: string[] = [];

const CODES: Readonly<Record<string, string>> = {
  buffers: 'const all = []; for (;;) all.push(new Uint8Array(4_000_000));',
  one_buffer: 'return new ArrayBuffer(10_000_000_000);',
  odd_length: 'return new Uint8Array(-1);',
  mistaken: "throw new RangeError('Array buffer allocation failed, or so they say');",
  large_result: "return 'x'.repeat(200_000);",
  chatty: "for (let i = 0; i < 30; i++) console.log('x'.repeat(100)); return 1;",
  late: "setTimeout(() => {\n  throw new Error('too late');\n}, 1);\nawait new Promise((done) => setTimeout(done, 20));",
  lost: "(async () => {\n  await null;\n  throw new TypeError('lost');\n})();\nawait new Promise((done) => setTimeout(done, 20));",
  lost_text: "Promise.reject('only a text'); await new Promise((done) => setTimeout(done, 20));",
  lost_object: 'Promise.reject({ a: 1 }); await new Promise((done) => setTimeout(done, 20));',
  caught:
    "Promise.reject(new Error('caught')).catch(() => {}); await new Promise((done) => setTimeout(done, 20));",
  told: "console.error(new Error('as told'));",
  colourful: "throw new Error('\\u001b[31mred\\u001b[0m, and \\u001b]0;title\\u0007done');",
  talks: "console.log('see plugin.js:1:1000000, at glovebox:guest');",
};

const SAYS_NOTHING: Readonly<Record<string, string>> = {
  undefined: 'throw undefined;',
  null: 'throw null;',
  'an error without a message': 'throw new Error();',
  'a TypeError without a message': 'throw new TypeError();',
  'an empty object': 'throw {};',
  'a function': 'throw function fails() {};',
  'a class': 'throw class Failure {};',
  'a proxy that can not be read': "throw new Proxy({}, { get() { throw new Error('no'); } });",
};

const nameOf = (what: string): string => what.toLowerCase().replaceAll(' ', '_');

beforeAll(async () => {
  root = await temporaryRoot();
  const limits = { resultBytes: 102_400, logBytes: 1_000 };
  for (const [name, body] of Object.entries({ ...CODES, ...SAYS_NOTHING })) {
    const schema = { description: 'Fails. Use it in tests.', parameters: { type: 'object' }, limits };
    await writePlugin(root.dir, nameOf(name), `export default async () => {\n${body}\n};\n`, schema);
  }
  host = await createHost({
    config: { plugins: root.dir, watch: false },
    onLog: (tool, level, text) => logs.push(`${tool} ${level}: ${text}`),
  });
});
afterAll(async () => {
  await host.close();
  await root[Symbol.asyncDispose]();
});

async function failureOf(name: string): Promise<CallFailure> {
  const result = await host.call({ name, arguments: {} });
  if (result.ok) throw new Error(`expected a failure, got ${result.content}`);
  return result;
}

describe('a plugin whose buffers outgrow its memory', () => {
  it.each(['buffers', 'one_buffer'])('is told as the limit that it is (%s)', async (name) => {
    const { error, content } = await failureOf(name);
    expect(error).toMatchObject({ code: 'memory_limit', outcome: 'unknown', retry: 'after_change' });
    expect(content).toBe(
      `Error: "${name}" was stopped (index.js:2): it used more than 64 MB of memory.\n` +
        'Give it less to work on, or split the input over several calls.',
    );
  });

  it.each(['odd_length', 'mistaken'])('is not mistaken for any other RangeError (%s)', async (name) => {
    expect((await failureOf(name)).error.code).toBe('tool_error');
  });

  it('is no matter of a function in this process, which has no such limit', async () => {
    using _ = taken(
      host.tool({ name: 'own', description: 'Fails.', parameters: { type: 'object' } }, () => {
        throw new RangeError('Array buffer allocation failed');
      }),
    );
    expect((await failureOf('own')).error.code).toBe('tool_error');
  });
});

describe('a plugin that says nothing of why it failed', () => {
  it.each(Object.keys(SAYS_NOTHING))('is not told to be read, but what to do instead (%s)', async (what) => {
    const { error } = await failureOf(nameOf(what));
    expect(error.code).toBe('tool_error');
    expect(error.message).toMatch(/^"\w+" failed( \(index\.js:2\))? and gave no reason\.$/);
    expect(error.hint).toMatch(/^There is nothing to go by: try other arguments once; .*tell the user/);
  });

  it('is told the same way when it is a function of this process', async () => {
    using _ = taken(
      host.tool({ name: 'own', description: 'Fails.', parameters: { type: 'object' } }, () => {
        throw () => 'a reason?';
      }),
    );
    expect((await failureOf('own')).error.message).toBe('"own" failed and gave no reason.');
  });
});

describe('a plugin that produces too much', () => {
  it.each(['large_result', 'chatty'])('is told what it may produce (%s)', async (name) => {
    const { error } = await failureOf(name);
    expect(error.code).toBe('output_limit');
    expect(error.message).toContain('more output than it may: 100 KiB of result, 1000 bytes of logs.');
    expect(error.hint).toMatch(/^Ask for less at a time: .*tell the user about the limit\.$/);
  });
});

describe('what a plugin logs of an error', () => {
  it('names the places of its source, and nothing of what is around it, when a timer throws', async () => {
    await host.call({ name: 'late', arguments: {} });
    expect(logs).toContain('late error: Uncaught Error: too late\n    at index.js:3');
  });

  it('is what a promise was rejected with, when nobody handles that', async () => {
    for (const name of ['lost', 'lost_text', 'lost_object', 'caught'])
      await host.call({ name, arguments: {} });
    expect(logs).toContain('lost error: Uncaught (in promise) TypeError: lost\n    at index.js:4');
    expect(logs).toContain('lost_text error: Uncaught (in promise) only a text');
    const objects = logs.filter((line) => line.startsWith('lost_object'));
    expect(objects).toEqual([
      expect.stringMatching(/^lost_object error: Uncaught \(in promise\) a value that is no Error$/),
    ]);
    expect(logs.filter((line) => line.startsWith('caught'))).toEqual([]);
  });

  it('names the places of its source when it logs one itself', async () => {
    await host.call({ name: 'told', arguments: {} });
    expect(logs.find((line) => line.startsWith('told'))).toMatch(
      /^told error: Error: as told\n {4}at .*\(?index\.js:2\)?$/,
    );
  });

  it('leaves other texts alone', async () => {
    await host.call({ name: 'talks', arguments: {} });
    expect(logs).toContain('talks info: see plugin.js:1:1000000, at glovebox:guest');
  });
});

function taken(takeAway: () => void): Disposable {
  return { [Symbol.dispose]: takeAway };
}

it('an error is told to the model without the colours that its author gave it', async () => {
  const { content } = await failureOf('colourful');
  expect(content).toMatch(/red, and done/);
  expect(content).not.toMatch(/\[31m|\[0m|title/);
  expect((await host.call({ name: '\u001b[1mgone', arguments: {} })).content).not.toContain('[1m');
});

it('a module has done in microtasks what it began before its function is called, as for an importer in Node', async () => {
  await using plugins = await temporaryRoot();
  const code = `let ready; (async () => { await null; await null; ready = 'yes'; })();
export default () => ready ?? 'not ready';`;
  for (const state of ['fresh', 'plugin'])
    await writePlugin(plugins.dir, state, code, {
      ...{ description: 'Tells. Use it in tests.', parameters: { type: 'object' }, state },
    });
  await using live = await createHost({ config: { plugins: plugins.dir, watch: false } });
  for (const name of ['fresh', 'plugin'])
    expect(await live.call({ name, arguments: {} })).toMatchObject({ ok: true, value: 'yes' });
});

it('a rejection that is logged ends no call, however little may be logged', async () => {
  await using plugins = await temporaryRoot();
  const code = `export default async () => {
  for (let n = 0; n < 20; n += 1) {
    const late = Promise.reject(new Error('x'.repeat(20_000)));
    await new Promise((done) => setTimeout(done, 1));
    await late.catch(() => {});
  }
  return 'fine';
};`;
  for (const logBytes of [0, 4_000])
    await writePlugin(plugins.dir, `logs_${logBytes}`, code, {
      ...{ description: 'Rejects. Use it in tests.', parameters: { type: 'object' }, limits: { logBytes } },
    });
  await using live = await createHost({ config: { plugins: plugins.dir, watch: false } });
  for (const name of ['logs_0', 'logs_4000'])
    expect(await live.call({ name, arguments: {} })).toMatchObject({ ok: true, value: 'fine' });
});
