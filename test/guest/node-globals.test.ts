import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Broker } from '../../core/sandbox/sandbox.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

const FS = "const fs = globalThis[Symbol.for('glovebox.fs')];";

/** Answers every file call with the same value and keeps what was asked. */
function files(answer: unknown): { readonly calls: [string, unknown][]; readonly broker: Broker } {
  const calls: [string, unknown][] = [];
  const broker: Broker = async ({ method, params }) => {
    calls.push([method, JSON.parse(params)]);
    return { ok: true, json: JSON.stringify(answer) };
  };
  return { calls, broker };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('process', () => {
  test('shows the granted environment and nothing else', async () => {
    const env = await guest.run(
      'return { ...process.env, own: Object.keys(process.env), missing: process.env.PATH }',
      { env: { TZ: 'UTC' } },
    );
    expect(env).toEqual({ TZ: 'UTC', own: ['TZ'] });
  });

  test('keeps changes of the environment to one context, as strings', async () => {
    expect(
      await guest.run('process.env.A = 5; delete process.env.TZ; return process.env', { env: { TZ: 'UTC' } }),
    ).toEqual({ A: '5' });
    expect(await guest.run('return process.env', { env: { TZ: 'UTC' } })).toEqual({ TZ: 'UTC' });
  });

  test('is not taken for Node by a package that looks for it', async () => {
    expect(
      await guest.run('return [process.versions.node, typeof process.binding, process.platform]'),
    ).toEqual([null, 'undefined', 'glovebox']);
  });

  test('ends nothing', async () => {
    expect(await guest.run('try { process.exit(0) } catch (e) { return e.message }')).toMatch(
      /process\.exit is not available/,
    );
  });

  test('nextTick runs before timers, with its arguments', async () => {
    expect(
      await guest.run(
        'const log = []; setTimeout(() => log.push("timer"), 0); process.nextTick((...a) => log.push(a), 1, 2); await new Promise((r) => setTimeout(r, 10)); return log',
      ),
    ).toEqual([[1, 2], 'timer']);
  });
});

describe('the file system', () => {
  test.each([
    ['undefined', [104, 195, 164]],
    ['"utf8"', 'hä'],
    ['{ encoding: "utf-8" }', 'hä'],
    ['"base64"', 'aMOk'],
    ['"hex"', '68c3a4'],
    ['"latin1"', 'hÃ¤'],
    ['{ encoding: null }', [104, 195, 164]],
  ])('reads a file with options %s', async (options, expected) => {
    const { calls, broker } = files({ data: base64('hä') });
    const result = await guest.run(
      `${FS} const r = await fs.readFile('./x', ${options}); return typeof r === 'string' ? r : [...r]`,
      { broker },
    );
    expect(result).toEqual(expected);
    expect(calls).toEqual([['fs.readFile', { path: './x' }]]);
  });

  test.each([
    ['"hä"', '', 'fs.writeFile', 'hä'],
    ['Uint8Array.of(104, 105)', '', 'fs.writeFile', 'hi'],
    ['"6869"', ', "hex"', 'fs.writeFile', 'hi'],
    ['"x"', ', { flag: "a" }', 'fs.appendFile', 'x'],
    ['["a", "b"]', '', 'fs.writeFile', 'ab'],
  ])('writes %s%s', async (data, options, method, expected) => {
    const { calls, broker } = files(null);
    await guest.run(`${FS} await fs.writeFile('f', ${data}${options})`, { broker });
    expect(calls).toEqual([[method, { path: 'f', data: base64(expected) }]]);
  });

  test('lists directories by name, by kind and recursively', async () => {
    const { broker } = files([
      { name: 'a', kind: 'file', parent: './d' },
      { name: 'b', kind: 'directory', parent: './d/c' },
    ]);
    expect(await guest.run(`${FS} return fs.readdir('./d', { recursive: true })`, { broker })).toEqual([
      'a',
      'c/b',
    ]);
    expect(
      await guest.run(
        `${FS} const l = await fs.readdir('./d', { withFileTypes: true }); return l.map((e) => [e.name, e.isFile(), e.isDirectory(), e.parentPath])`,
        { broker },
      ),
    ).toEqual([
      ['a', true, false, './d'],
      ['b', false, true, './d/c'],
    ]);
  });

  test('stats as Node’s Stats', async () => {
    const { broker } = files({
      kind: 'file',
      size: 5,
      mtimeMs: 1000,
      ctimeMs: 2000,
      birthtimeMs: 3000,
      mode: 33188,
    });
    expect(
      await guest.run(
        `${FS} const s = await fs.stat('x'); return [s.isFile(), s.isDirectory(), s.size, s.mtime.getTime(), s.birthtimeMs, s.mode]`,
        { broker },
      ),
    ).toEqual([true, false, 5, 1000, 3000, 33188]);
  });

  test('makes, removes, renames and checks', async () => {
    const { calls, broker } = files(null);
    await guest.run(
      `${FS} await fs.mkdir('d', { recursive: true }); await fs.rm('d', { recursive: true, force: true }); await fs.unlink('u'); await fs.rename('a', 'b'); await fs.access('a', fs.constants.W_OK)`,
      { broker },
    );
    expect(calls).toEqual([
      ['fs.mkdir', { path: 'd', recursive: true }],
      ['fs.rm', { path: 'd', recursive: true, force: true }],
      ['fs.rm', { path: 'u' }],
      ['fs.rename', { from: 'a', to: 'b' }],
      ['fs.access', { path: 'a', mode: 2 }],
    ]);
  });

  test('passes the host’s error code on', async () => {
    const broker: Broker = async () => ({
      ok: false,
      error: { name: 'Error', message: 'ENOENT: no such file', code: 'ENOENT' },
    });
    expect(
      await guest.run(`${FS} return fs.readFile('x').catch((e) => [e.code, e.message, e instanceof Error])`, {
        broker,
      }),
    ).toEqual(['ENOENT', 'ENOENT: no such file', true]);
  });

  test.each(['5', 'null', '"a\\0b"', '{}', 'new URL("http://x/y")'])(
    'refuses the path %s before the host hears of it',
    async (path) => {
      const { calls, broker } = files(null);
      expect(await guest.run(`${FS} return fs.readFile(${path}).catch((e) => e.code)`, { broker })).toMatch(
        /^ERR_/,
      );
      expect(calls).toEqual([]);
    },
  );

  test('takes a file: URL for a path', async () => {
    const { calls, broker } = files({ data: '' });
    await guest.run(`${FS} await fs.readFile(new URL('file:///a%20b/c'))`, { broker });
    expect(calls).toEqual([['fs.readFile', { path: '/a b/c' }]]);
  });

  test('says of the rest that it is not supported', async () => {
    expect(await guest.run(`${FS} return fs.symlink('a', 'b').catch((e) => [e.code, e.message])`)).toEqual([
      'ENOSYS',
      expect.stringMatching(/symlink.*not supported/),
    ]);
  });

  test('is hidden from a walk over the global’s names', async () => {
    expect(
      await guest.run(
        `return Object.getOwnPropertyDescriptor(globalThis, Symbol.for('glovebox.fs')).enumerable`,
      ),
    ).toBe(false);
  });
});
