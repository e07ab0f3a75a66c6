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
