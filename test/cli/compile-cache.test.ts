import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from './run-cli.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'glovebox-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const NOT_SET = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };

/** Starts the command line with this home, and tells what it left in the folder. */
async function keptIn(dir: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { code, stdout } = await runCli(['--version'], {
    cwd: home,
    env: { HOME: home, XDG_CACHE_HOME: '', ...NOT_SET, ...env },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d/) });
  return readdir(dir).catch(() => []);
}

const usual = () => path.join(home, '.cache/glovebox');

it('keeps what was compiled below the home, in a folder that only the user can enter', async () => {
  expect(await keptIn(usual())).not.toEqual([]);
  expect((await stat(usual())).mode & 0o777).toBe(0o700);
});

it('keeps it in XDG_CACHE_HOME where that is set, and nowhere for a relative one', async () => {
  const cache = path.join(home, 'elsewhere');
  expect(await keptIn(path.join(cache, 'glovebox'), { XDG_CACHE_HOME: cache })).not.toEqual([]);
  expect(await keptIn(path.join(home, 'here'), { XDG_CACHE_HOME: 'here' })).toEqual([]);
});

it.each([0o770, 0o707, 0o755])('does not use a folder of mode %o', async (mode) => {
  await mkdir(usual(), { recursive: true });
  await chmod(usual(), mode);
  expect(await keptIn(usual())).toEqual([]);
});

it('does not use a folder below one that others can write to, but for a sticky one', async () => {
  await chmod(home, 0o777);
  expect(await keptIn(usual())).toEqual([]);
  await chmod(home, 0o1777);
  expect(await keptIn(usual())).not.toEqual([]);
});

it('does not follow a link', async () => {
  const target = path.join(home, 'target');
  await mkdir(target, { mode: 0o700 });
  await mkdir(path.dirname(usual()));
  await symlink(target, usual());
  expect(await keptIn(target)).toEqual([]);
});

// Only root can give a folder away.
it.runIf(process.getuid?.() === 0)('does not use a folder of another user, nor one below', async () => {
  await mkdir(usual(), { recursive: true, mode: 0o700 });
  await chown(usual(), 65_534, 65_534);
  expect(await keptIn(usual())).toEqual([]);
  await chown(usual(), 0, 0);
  await chown(home, 65_534, 65_534);
  expect(await keptIn(usual())).toEqual([]);
});

it('starts without one where it can not be made', async () => {
  await writeFile(path.join(home, '.cache'), 'a file');
  expect(await keptIn(usual())).toEqual([]);
  expect(await keptIn(usual(), { HOME: '/dev/null/nobody' })).toEqual([]);
});

it("leaves the decision to Node's own variables", async () => {
  const other = path.join(home, 'other');
  expect(await keptIn(other, { NODE_COMPILE_CACHE: other })).not.toEqual([]);
  expect(await keptIn(usual(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  await expect(stat(usual())).rejects.toMatchObject({ code: 'ENOENT' });
});
