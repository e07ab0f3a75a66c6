import { chmod, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tarball } from '../install/tarballs.ts';
import { answers, PLAIN, WEATHER, workplace } from './strangers.ts';

const FILES = { 'src/weather/schema.json': WEATHER, 'src/weather/index.js': answers('sunny') };

// Each command line is a process with a wall of its own, and the machine may be busy.
describe('glovebox add', { timeout: 120_000 }, () => {
  it('shows what a plugin asks for, in plain words, and changes nothing without a consent', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const before = await place.snapshot();
    const { code, stdout, stderr } = await place.glovebox(['add', 'src/weather']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/Send GET requests to https:\/\/api\.example\.com\/\*/);
    expect(stdout).toMatch(/Keep up to 1 MB of its own data/);
    expect(stderr).toMatch(/nothing was added: .*--yes/);
    expect(await place.snapshot()).toEqual(before);
  });

  it('with --yes adds it without any grant, and says which grants it lacks and how to give them', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const { code, stdout } = await place.glovebox(['add', 'src/weather', '--yes']);
    expect(code).toBe(0);
    expect((await place.config()).plugins).toEqual(['./plugins', { dir: './strangers', trust: 'granted' }]);
    expect(stdout).toMatch(/glovebox grant weather/);
    const line = /"weather": \{[\s\S]*\n {2}\}/.exec(stdout.slice(stdout.indexOf('put into')))?.[0];
    expect(JSON.parse(`{${line}}`)).toEqual({ weather: WEATHER.permissions });
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ code: 0, stdout: 'sunny\n' });
    expect((await readdir(place.at('strangers'))).sort()).toEqual(['weather']);
  });

  it('with --yes --grant grants all that it asks for', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const { code, stdout } = await place.glovebox(['add', 'src/weather', '--yes', '--grant', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      added: [{ name: 'weather', updated: false, granted: WEATHER.permissions, missing: {} }],
    });
    expect((await place.config()).plugins[1].grants).toEqual({ weather: WEATHER.permissions });
  });

  it('makes a config where there is none, which still names the default directory', async () => {
    await using place = await workplace(undefined);
    await rm(place.at('registry.config.json'), { force: true });
    await place.write(FILES);
    expect(await place.glovebox(['add', 'src/weather', '--yes'])).toMatchObject({ code: 0 });
    expect((await place.config()).plugins).toEqual(['./plugins', { dir: './strangers', trust: 'granted' }]);
  });

  it('lets no text of a stranger steer the terminal', async () => {
    await using place = await workplace();
    const description = 'Good.\u001b[2J\u001b]0;x\u0007 \u202Eevil\u009b2J';
    const schema = { ...PLAIN, title: 'a\u001b[31m', description, permissions: { read: ['./a\u202Eb'] } };
    await place.write({
      'src/odd/schema.json': schema,
      'src/odd/index.js': answers('x'),
      'src/odd/package.json': { name: 'odd', version: '1\u001b[2J', author: '\u001b[2Jme' },
    });
    const { stdout, stderr } = await place.glovebox(['add', 'src/odd', '--yes']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('tells of destructive tools, of packages that are bundled, and of where it comes from', async () => {
    await using place = await workplace();
    await place.write({
      'src/wipe/schema.json': { ...PLAIN, annotations: { destructive: true } },
      'src/wipe/index.js': "import { size } from 'sized'; export default () => size;",
      'src/wipe/package.json': {
        name: 'wipe',
        version: '3.1.4',
        author: 'Ann',
        dependencies: { sized: '^1' },
      },
      'src/wipe/node_modules/sized/package.json': { name: 'sized', version: '1.2.3', main: 'index.js' },
      'src/wipe/node_modules/sized/index.js': 'export const size = 7;',
    });
    const { code, stdout } = await place.glovebox(['add', 'src/wipe', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/says that it is destructive/);
    expect(stdout).toMatch(/sized@1\.2\.3/);
    expect(stdout).toMatch(/3\.1\.4/);
    expect(stdout).toMatch(/Ann/);
  });

  it('adds every plugin of a package, tools, resources and prompts, or none', async () => {
    await using place = await workplace();
    await place.write({
      'pack/package.json': { name: 'pack', version: '1.0.0' },
      'pack/plugins/one/schema.json': PLAIN,
      'pack/plugins/one/index.js': answers('1'),
      'pack/plugins/group/two/schema.json': PLAIN,
      'pack/plugins/group/two/index.js': answers('2'),
      'pack/guide/resource.json': { uri: 'guide://all', description: 'A guide.', file: 'guide.md' },
      'pack/guide/guide.md': 'Read me.',
      'pack/review/prompt.md': '---\ndescription: Reviews.\n---\nReview this.\n',
      'pack/node_modules/x/schema.json': PLAIN,
    });
    const { code, stdout } = await place.glovebox(['add', 'pack', '--yes', '--json']);
    expect(code).toBe(0);
    const { added } = JSON.parse(stdout) as { added: { name: string }[] };
    expect(added.map(({ name }) => name).sort()).toEqual([
      'group.two',
      'one',
      'prompt:review',
      'resource:guide',
    ]);
    const calls = ['one', 'group.two'].map((name) => place.glovebox(['call', name]));
    expect((await Promise.all(calls)).map((call) => call.stdout)).toEqual(['1\n', '2\n']);
    const listed = JSON.parse((await place.glovebox(['list', '--format', 'json'])).stdout) as {
      name: string;
      state: string;
    }[];
    expect(listed.every(({ state }) => state === 'ready')).toBe(true);

    await place.write({
      'pack/plugins/three/schema.json': PLAIN,
      'pack/plugins/three/index.js': 'export default (',
    });
    const before = await place.snapshot();
    const second = await place.glovebox(['add', 'pack', '--yes']);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/three does not load:\s+index\.js:1/);
    expect(await place.snapshot()).toEqual(before);
  });

  it('takes an archive, named by its folder, and refuses one with a link in it', async () => {
    await using place = await workplace();
    const files = [
      { path: 'moon/schema.json', content: JSON.stringify(PLAIN) },
      { path: 'moon/index.js', content: answers('full') },
    ];
    await place.write({
      'moon-1.0.0.tgz': tarball(files),
      'bad.tgz': tarball([...files, { path: 'moon/passwd', type: 'SymbolicLink', linkpath: '/etc/passwd' }]),
    });
    expect(await place.glovebox(['add', 'moon-1.0.0.tgz', '--yes'])).toMatchObject({ code: 0 });
    expect(await place.glovebox(['call', 'moon'])).toMatchObject({ stdout: 'full\n' });
    const before = await place.snapshot();
    const refused = await place.glovebox(['add', 'bad.tgz', '--yes']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/holds a link/) });
    expect(await place.snapshot()).toEqual(before);
  });

  it('refuses a directory with a link in it, naming the link', async () => {
    await using place = await workplace();
    await place.write(FILES);
    await symlink('/etc/passwd', place.at('src/weather/data.txt'));
    const { code, stderr } = await place.glovebox(['add', 'src/weather', '--yes']);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/data\.txt is a link/) });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a tool of your own',
      { 'plugins/weather/schema.json': PLAIN, 'plugins/weather/index.js': answers('own') },
      /taken by plugins\/weather, a plugin of your own/,
    ],
    [
      'a built-in tool',
      { 'src/weather/schema.json': { ...WEATHER, name: 'read_more' } },
      /"read_more" is taken by a built-in/,
    ],
    [
      'a directory that is there already',
      { 'strangers/weather/notes.txt': 'mine' },
      /could not be put in its place/,
    ],
  ])('refuses a name that is taken by %s and changes nothing', async (_what, files, reason) => {
    await using place = await workplace();
    await place.write({ ...FILES, ...files });
    const before = await place.snapshot();
    const { code, stderr } = await place.glovebox(['add', 'src/weather', '--yes', '--grant']);
    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
    expect(await place.snapshot()).toEqual(before);
  });

  it('takes everything back when the consent can not be recorded', async () => {
    await using place = await workplace();
    await place.write({ ...FILES, 'registry.lock.json': '{damaged' });
    const before = await place.snapshot();
    const { code, stderr } = await place.glovebox(['add', 'src/weather', '--yes', '--grant']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/registry\.lock\.json is damaged/);
    expect(await place.snapshot()).toEqual(before);
  });

  it('shows an update with what has changed and what it asks for more; --yes does not widen its grants', async () => {
    await using place = await workplace();
    await place.write(FILES);
    await place.glovebox(['add', 'src/weather', '--yes', '--grant']);
    const wider = { ...WEATHER, permissions: { ...WEATHER.permissions, read: ['./secret/**'] } };
    await place.write({ 'src/weather/schema.json': wider, 'src/weather/index.js': answers('rain') });
    const looked = await place.glovebox(['add', 'src/weather']);
    expect(looked.code).toBe(2);
    expect(looked.stdout).toMatch(/It asks for more:\s+! Read files: \.\/secret/);
    expect(looked.stdout).toMatch(/code:\s+~ sha256-/);
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ stdout: 'sunny\n' });

    expect(await place.glovebox(['add', 'src/weather', '--yes'])).toMatchObject({ code: 0 });
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ stdout: 'rain\n' });
    expect((await place.config()).plugins[1].grants).toEqual({ weather: WEATHER.permissions });
    expect(await readdir(place.at('strangers'))).toEqual(['weather']);
  });

  it('never puts a stranger where everything is granted', async () => {
    await using place = await workplace({ plugins: ['./plugins', { dir: './theirs', trust: 'granted' }] });
    await place.write(FILES);
    for (const dir of ['plugins', 'plugins/inner', '.', 'theirs/inner']) {
      const { code, stderr } = await place.glovebox(['add', 'src/weather', '--yes', '--dir', dir]);
      expect({ dir, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--dir/) });
    }
    await symlink(place.at('plugins'), place.at('alias'));
    const { code } = await place.glovebox(['add', 'src/weather', '--yes', '--dir', 'alias']);
    expect(code).toBe(2);
    expect(await place.glovebox(['add', 'src/weather', '--yes'])).toMatchObject({ code: 0 });
    expect(await readdir(place.at('theirs'))).toEqual(['weather']);
  });

  it('adds a directory that is named to the config', async () => {
    await using place = await workplace();
    await place.write(FILES);
    expect(await place.glovebox(['add', 'src/weather', '--yes', '--dir', 'more/theirs'])).toMatchObject({
      code: 0,
    });
    expect((await place.config()).plugins[1]).toEqual({ dir: './more/theirs', trust: 'granted' });
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ stdout: 'sunny\n' });
  });

  it.each<[string[], RegExp]>([
    [['add'], /source/],
    [['add', './missing'], /there is no \.\/missing/],
    [['add', 'missing.tgz'], /there is no missing\.tgz/],
    [['add', 'registry.config.json'], /no tarball/],
    [['add', 'git+ssh://example.com/x'], /download it/],
    [['add', 'Not A Name'], /npm package/],
    [['add', '.', '--yes'], /lie in each other/],
    [['add', 'src', '--config', 'none.json'], /none\.json/],
  ])('exits with 2 for the command line %j', async (args, reason) => {
    await using place = await workplace();
    const { code, stdout, stderr } = await place.glovebox(args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
  });

  it('says so when there is no plugin in it', async () => {
    await using place = await workplace();
    await place.write({ 'src/readme.txt': 'hello' });
    const { code, stdout, stderr } = await place.glovebox(['add', 'src', '--json']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/there is no plugin in it/);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, kind: 'failed' });
  });

  it('says so when the place can not be written to', async () => {
    await using place = await workplace();
    await place.write(FILES);
    await mkdir(place.at('strangers'));
    await place.write({ 'not-a-directory': 'x' });
    const { code, stderr } = await place.glovebox([
      'add',
      'src/weather',
      '--yes',
      '--dir',
      'not-a-directory',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/can't be written to/) });
    await chmod(place.at('strangers'), 0o755);
  });

  it('does not take what configures npm, git or an editor', async () => {
    await using place = await workplace();
    await place.write({
      ...FILES,
      'src/weather/.npmrc': 'script-shell=/bin/false',
      'src/weather/.git/config': '',
    });
    await place.glovebox(['add', 'src/weather', '--yes']);
    expect((await readdir(path.join(place.at('strangers'), 'weather'))).sort()).toEqual([
      'index.js',
      'schema.json',
    ]);
  });
});
