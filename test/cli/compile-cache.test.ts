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

it('keeps it in XDG_CACHE_HOME where that is set, but takes no account of a relative one', async () => {
  const cache = path.join(home, 'elsewhere');
  expect(await keptIn(path.join(cache, 'glovebox'), { XDG_CACHE_HOME: cache })).not.toEqual([]);
  expect(await keptIn(path.join(home, 'here'), { XDG_CACHE_HOME: 'here' })).toEqual([]);
  expect(await readdir(usual())).not.toEqual([]);
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

it('keeps it where a link on the way to it leads', async () => {
  const disk = path.join(home, 'disk');
  await mkdir(disk, { mode: 0o700 });
  await symlink(disk, path.dirname(usual()));
  expect(await keptIn(path.join(disk, 'glovebox'))).not.toEqual([]);
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

// sudo may leave the home of the user who called it.
it.runIf(process.getuid?.() === 0)('makes no folder in the home of another user', async () => {
  await chown(home, 65_534, 65_534);
  await keptIn(usual());
  expect(await readdir(home)).toEqual([]);
});

it('lets no plugin write there, whatever it was granted', async () => {
  await keptIn(usual());
  const plugin = path.join(home, 'plugins/writer');
  await mkdir(plugin, { recursive: true });
  const schema = {
    description: 'Writes a file.',
    parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    permissions: { write: ['./**', './.cache/**'] },
  };
  await writeFile(path.join(plugin, 'schema.json'), JSON.stringify(schema));
  const code =
    "import { writeFile } from 'node:fs/promises';\nexport default ({ file }) => writeFile(file, 'x');\n";
  await writeFile(path.join(plugin, 'index.js'), code);
  await writeFile(path.join(home, 'registry.config.json'), JSON.stringify({ plugins: './plugins' }));
  const write = (file: string) =>
    runCli(['call', 'writer', '--args', JSON.stringify({ file })], {
      cwd: home,
      env: { HOME: home, XDG_CACHE_HOME: '', ...NOT_SET },
    });
  expect(await write('./.cache/other')).toMatchObject({ code: 0 });
  const [kept = ''] = await readdir(usual());
  const { code: exit, stdout } = await write(`./.cache/glovebox/${kept}/planted`);
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: expect.stringContaining('not allowed') });
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
