import { execFileSync } from 'node:child_process';
import { open, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoadOptions } from '../../core/plugin/load-options.ts';
import { loadPlugin } from '../../core/plugin/load-plugin.ts';
import type { LoadResult, PluginVersion } from '../../core/plugin/plugin-version.ts';
import { trusting } from './fakes.ts';
import { type Files, SCHEMA, temporaryDirectory, writeFiles } from './temporary-plugin.ts';

const GOOD: Files = {
  'schema.json': SCHEMA,
  'index.ts': "import { part } from './part.ts';\nexport default () => part;\n",
  'part.ts': 'export const part = 1;\n',
};

function load(dir: string, options: Partial<LoadOptions> = {}): Promise<LoadResult> {
  return loadPlugin({ dir, defaultName: 'it', trust: 'declared', ...trusting, ...options });
}

function good(result: LoadResult): PluginVersion {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.plugin;
}

describe('loadPlugin', () => {
  it('makes one version of a directory, the same for the same files wherever they are', async () => {
    await using one = await temporaryDirectory();
    await using other = await temporaryDirectory();
    for (const { dir } of [one, other]) await writeFiles(dir, GOOD);
    const [first, second] = [good(await load(one.dir)), good(await load(other.dir))];
    expect(first.manifest.name).toBe('it');
    expect(first.program).toMatchObject({ name: 'it', version: first.version, isolation: 'shared' });
    expect(second.version).toBe(first.version);
    expect(second.digests).toEqual(first.digests);
    expect(good(await load(one.dir, { trust: 'granted' })).program.isolation).toBe('dedicated');
  });

  it.runIf(process.platform === 'linux')(
    'reads no more of a file than it may have, whatever size it tells',
    async () => {
      await using temporary = await temporaryDirectory();
      await writeFiles(temporary.dir, GOOD);
      // Says that it has 0 bytes, and has some 200 GB; gives them in groups of eight only (EINVAL).
      const endless = '/proc/self/pagemap';
      await symlink(endless, path.join(temporary.dir, 'large.ts'));
      await writeFiles(temporary.dir, { 'index.ts': "import './large.ts';\nexport default () => 1;\n" });
      expect(await load(temporary.dir)).toMatchObject({ ok: false, problems: [expect.anything()] });
      await writeFiles(temporary.dir, { 'index.ts': 'export default () => 1;\n' });
      await rm(path.join(temporary.dir, 'schema.json'));
      await symlink(endless, path.join(temporary.dir, 'schema.json'));
      expect(await load(temporary.dir)).toMatchObject({
        ok: false,
        problems: [{ file: 'schema.json', message: expect.stringMatching(/has more than \d+ bytes|EINVAL/) }],
      });
    },
  );

  it.each([
    ['code', { 'part.ts': 'export const part = 1; \n' }, ['code']],
    ['a package', { 'node_modules/p/index.js': 'module.exports = 2;' }, ['code']],
    [
      'a description',
      { 'schema.json': '{"description":"Does another thing.","parameters":{"type":"object"}}' },
      ['description', 'schema'],
    ],
    [
      'permissions',
      {
        'schema.json':
          '{"description":"Does a thing.","parameters":{"type":"object"},"permissions":{"env":["TZ"]}}',
      },
      ['schema', 'permissions'],
    ],
    ['space in the schema', { 'schema.json': `${SCHEMA}\n` }, ['schema']],
    ['a note that nothing imports', { 'notes.md': 'x' }, []],
  ])('tells in its digests that %s changed', async (_what, change, changed) => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, {
      ...GOOD,
      'index.ts': "import { part } from './part.ts';\nimport p from 'p';\nexport default () => [part, p];\n",
      'node_modules/p/index.js': 'module.exports = 1;',
    });
    const before = good(await load(root.dir));
    await writeFiles(root.dir, change);
    const after = good(await load(root.dir));
    const differing = Object.entries(after.digests)
      .filter(([part, digest]) => before.digests[part as keyof typeof before.digests] !== digest) // its own keys
      .map(([part]) => part);
    expect(differing.sort()).toEqual([...changed].sort());
    expect(after.version === before.version).toBe(changed.length === 0);
  });

  it.each<[string, Files, object]>([
    ['no implementation', { 'schema.json': SCHEMA }, { message: expect.stringContaining('index.ts') }],
    ['an empty schema', { ...GOOD, 'schema.json': '' }, { file: 'schema.json' }],
    [
      'a half-written schema',
      { ...GOOD, 'schema.json': '{"description": "x", "para' },
      { file: 'schema.json' },
    ],
    [
      'a syntax error',
      { ...GOOD, 'part.ts': '\nexport const part = ;' },
      { file: 'part.ts', line: 2, column: 21 },
    ],
    ['an import of nothing', { ...GOOD, 'part.ts': '' }, { file: 'index.ts', line: 1 }],
  ])('says where %s is', async (_what, files, problem) => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, files);
    expect(await load(root.dir)).toMatchObject({ ok: false, problems: [problem] });
  });

  it('refuses a schema of 50 MB without reading it, one that is no text, and a pipe', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, GOOD);
    const schema = path.join(root.dir, 'schema.json');
    await truncate(schema, 50 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    expect(await load(root.dir)).toMatchObject({
      problems: [{ message: expect.stringContaining('52428800 bytes') }],
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
    await writeFile(schema, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    expect(await load(root.dir)).toMatchObject({ problems: [{ message: 'is not UTF-8 text' }] });
    execFileSync('rm', [schema]);
    execFileSync('mkfifo', [schema]);
    expect(await load(root.dir)).toMatchObject({ problems: [{ message: 'is no file' }] });
  });

  it("reads no file of the machine through a link in a stranger's directory", async () => {
    await using root = await temporaryDirectory();
    await using secret = await temporaryDirectory();
    await writeFiles(secret.dir, { 'secret.json': SCHEMA, 'code.js': 'export default 1;' });
    await writeFiles(root.dir, { 'index.ts': 'export default () => 1;' });
    await symlink(path.join(secret.dir, 'secret.json'), path.join(root.dir, 'schema.json'));
    expect(await load(root.dir, { trust: 'granted' })).toMatchObject({
      problems: [{ file: 'schema.json', message: 'must be a file, not a link' }],
    });
    await using linked = await temporaryDirectory();
    await writeFiles(linked.dir, { 'schema.json': SCHEMA });
    await symlink(path.join(secret.dir, 'code.js'), path.join(linked.dir, 'index.js'));
    for (const trust of ['granted', 'declared'] as const)
      expect(await load(linked.dir, { trust })).toMatchObject({ ok: false });
  });

  it.each(['package.json', 'tsconfig.json', 'node_modules/p/package.json'])(
    'refuses a %s that would make the bundler read for ever',
    async (name) => {
      await using root = await temporaryDirectory();
      await writeFiles(root.dir, {
        ...GOOD,
        'node_modules/p/index.js': '',
        'index.ts': "import 'p'; export default () => 1;",
      });
      execFileSync('mkfifo', [path.join(root.dir, name)]);
      expect(await load(root.dir, { trust: 'granted' })).toMatchObject({
        problems: [{ file: name, message: 'must be a regular file, not a link or a pipe' }],
      });
      execFileSync('rm', [path.join(root.dir, name)]);
      await symlink('/dev/zero', path.join(root.dir, name));
      expect(await load(root.dir, { trust: 'granted' })).toMatchObject({ problems: [{ file: name }] });
    },
  );

  it('tells what the sandbox found when it tried the entry, at the place in the source', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, {
      ...GOOD,
      'part.ts': '\n\nthrow new Error("early");\nexport const part = 1;',
    });
    const probe: LoadOptions['probe'] = async ({ code }) => {
      const at = code.indexOf('throw new Error');
      const line = code.slice(0, at).split('\n').length;
      const column = at - code.lastIndexOf('\n', at);
      const stack = `Error: early\n    at plugin.js:${line}:${column}`;
      return { ok: false, message: 'early', error: { name: 'Error', message: 'early', stack } };
    };
    expect(await load(root.dir, { probe })).toMatchObject({
      problems: [{ file: 'part.ts', line: 3, message: 'loading it throws Error: early' }],
    });
  });

  it.each([
    ['index.ts', 'index.js'],
    ['index.ts', 'index.mjs'],
    ['index.js', 'index.mjs'],
  ])('takes %s before %s, and warns of the other one unless it is used', async (entry, other) => {
    await using temporary = await temporaryDirectory();
    const write = (code: string) =>
      writeFiles(temporary.dir, {
        ...{ 'schema.json': SCHEMA, [entry]: code },
        [other]: 'export default () => "other";\n',
      });
    await write('export default () => "entry";\n');
    expect(good(await load(temporary.dir)).warnings).toEqual([
      { path: '', message: `${other} is not used, since ${entry} comes first: delete one of them` },
    ]);
    await write(`export { default } from './${other}';\n`);
    expect(good(await load(temporary.dir)).warnings).toEqual([]);
  });

  it("writes types for one's own tools, even before there is code, and none for a stranger's", async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, { 'schema.json': SCHEMA });
    await load(root.dir);
    await (await open(path.join(root.dir, 'schema.d.ts'))).close();
    await using strange = await temporaryDirectory();
    await writeFiles(strange.dir, GOOD);
    await load(strange.dir, { trust: 'granted' });
    await expect(open(path.join(strange.dir, 'schema.d.ts'))).rejects.toThrow('ENOENT');
  });

  it("warns where types can't be written, and loads all the same", async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, { ...GOOD, 'schema.d.ts/in-the-way': '' });
    expect(good(await load(root.dir)).warnings).toMatchObject([
      { message: expect.stringContaining('schema.d.ts could not be written') },
    ]);
  });
});
