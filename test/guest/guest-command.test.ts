import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGuestFiles } from '../../core/cli/guest.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'guest-command-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function evaluate(...sources: string[]): Promise<{ code: number; out: string[]; log: string[] }> {
  const files = sources.map((_, index) => path.join(dir, `${index}.js`));
  await Promise.all(files.map((file, index) => writeFile(file, sources[index] ?? '')));
  const out: string[] = [];
  const log: string[] = [];
  const code = await runGuestFiles(files, { out: (text) => out.push(text), log: (text) => log.push(text) });
  return { code, out, log };
}

test('files share what they declare, as scripts of one page do', async () => {
  const { code, out } = await evaluate(
    'const a = 1; let [b, { c }] = [2, { c: 3 }]; class D { static e = 4 }; var f = 5; function g() { return 6 }',
    'Promise.resolve([a, b, c, D.e, f, g(), self.f])',
  );
  expect(out).toEqual(['0.js returned undefined', '1.js returned [1,2,3,4,5,6,5]']);
  expect(code).toBe(0);
});

test('what a file throws is printed, and the next one runs all the same', async () => {
  const { code, out } = await evaluate(
    'null.x',
    'let let = 1',
    'Promise.reject(new RangeError("late"))',
    '"fine"',
  );
  expect(out[0]).toMatch(/^0\.js threw TypeError: Cannot read properties of null/);
  expect(out[1]).toMatch(/^1\.js threw SyntaxError/);
  expect(out[2]).toMatch(/^2\.js threw RangeError: late/);
  expect(out[3]).toBe('3.js returned fine');
  expect(code).toBe(1);
});

test('console goes to the log, and nothing is granted', async () => {
  const { out, log } = await evaluate(
    'console.warn("careful", { a: 1 }); fetch("http://x.example/").catch((e) => e.name)',
  );
  expect(log).toEqual(['[warn] careful { a: 1 }']);
  expect(out).toEqual(['0.js returned NotAllowedError']);
});

test('large files are taken', async () => {
  const { out } = await evaluate(`const big = "${'x'.repeat(2_000_000)}";`, 'big.length');
  expect(out[1]).toBe('1.js returned 2000000');
});

/** A harness in the manner of the web-platform tests: a turn of the microtasks without an open test is the end. */
const HARNESS = `
  const results = [];
  let open = 0;
  let finish;
  const finished = new Promise((resolve) => { finish = resolve });
  const end = () => { if (loaded && open === 0) finish(results) };
  let loaded = false;
  (() => { Promise.resolve().then(() => { loaded = true; end() }) })();
  function setup(run) { if (typeof run === 'function') run() }
  function test(run, name) { try { run({}); results.push('pass ' + name) } catch (error) { results.push('fail ' + name + ': ' + error.message) } end() }
  function promise_test(run, name) {
    open += 1;
    Promise.resolve().then(() => run({})).then(() => results.push('pass ' + name), (error) => results.push('fail ' + name + ': ' + error.message)).finally(() => { open -= 1; end() });
  }
  function assert_equals(actual, expected) { if (!Object.is(actual, expected)) throw new Error(actual + ' is not ' + expected) }
`;

test('files in the manner of the web-platform tests run: a harness, what their META names, tests, a report', async () => {
  const { code, out } = await evaluate(
    HARNESS,
    'const EXPECTED = { "http://x/a/../b": "/b" };',
    `// META: title=paths
     setup(() => { globalThis.base = 'http://x/' });
     for (const [input, pathname] of Object.entries(EXPECTED)) test(() => assert_equals(new URL(input, base).pathname, pathname), input);
     test(() => assert_equals(1, 2), 'wrong');
     promise_test(async () => { await new Promise((done) => setTimeout(done, 5)); assert_equals(await new Response('x').text(), 'x') }, 'later');`,
    'finished',
  );
  expect(out.slice(0, 3)).toEqual([
    '0.js returned undefined',
    '1.js returned undefined',
    '2.js returned undefined',
  ]);
  expect(out[3]).toBe('3.js returned ["pass http://x/a/../b","fail wrong: 1 is not 2","pass later"]');
  expect(code).toBe(0);
});

test('what came before a file that never ends is told', async () => {
  const files = ['1', 'for (;;) {}', '2'].map(
    (source, index) => [path.join(dir, `${index}.js`), source] as const,
  );
  for (const [file, source] of files) await writeFile(file, source);
  const out: string[] = [];
  const write = { out: (text: string) => out.push(text), log: () => undefined };
  expect(
    await runGuestFiles(
      files.map(([file]) => file),
      write,
      { cpuMs: 200 },
    ),
  ).toBe(1);
  expect(out).toEqual(['0.js returned 1', expect.stringMatching(/^1\.js did not come to an end: cpu_limit/)]);
});

test('a promise that only a later file settles holds nothing up', async () => {
  const { out } = await evaluate(
    'var settle; new Promise((resolve) => { settle = resolve })',
    'settle(5)',
    'Promise.resolve(6)',
  );
  expect(out).toEqual(['0.js returned 5', '1.js returned undefined', '2.js returned 6']);
});

test('a file that is not there is named', async () => {
  const log: string[] = [];
  const missing = path.join(dir, 'missing.js');
  expect(await runGuestFiles([missing], { out: () => undefined, log: (text) => log.push(text) })).toBe(2);
  expect(log).toEqual([`${missing} can't be read (ENOENT)`]);
});
