import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../core/index.ts';
import { SCHEMA, type TemporaryDirectory, temporaryDirectory, writeFiles } from './temporary-plugin.ts';

const buildsOf = ({ dir }: TemporaryDirectory) => path.join(dir, '.glovebox/cache/builds');

async function kept(root: TemporaryDirectory): Promise<string[]> {
  const names = await readdir(buildsOf(root)).catch(() => []);
  return names.map((name) => path.join(buildsOf(root), name));
}

/** Starts a host anew, and gives what the tool `it` answers. */
async function answerOf(root: TemporaryDirectory, trust?: 'granted'): Promise<string> {
  const config = path.join(root.dir, 'registry.config.json');
  const plugins = [{ dir: './plugins', ...(trust === undefined ? {} : { trust }) }];
  await writeFile(config, JSON.stringify({ plugins, audit: false }));
  await using host = await createHost({ config, watch: false });
  await host.ready;
  return (await host.call({ name: 'it', arguments: {} })).content;
}

const plugin = (code: string, more: Readonly<Record<string, string>> = {}) => ({
  'plugins/it/schema.json': SCHEMA,
  'plugins/it/index.ts': code,
  ...more,
});

async function edit(file: string | undefined, from: string, to: string): Promise<void> {
  if (file === undefined) throw new Error('nothing is kept');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(from, to));
}

describe('the build of a plugin', () => {
  it('is kept for the next start, as long as nothing in its directory changes', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("import { word } from './word.ts';\nexport default () => word;"));
    await writeFiles(root.dir, { 'plugins/it/word.ts': "export const word: string = 'first';" });
    expect(await answerOf(root)).toBe('first');
    const [file] = await kept(root);
    await edit(file, 'first', 'kept');
    expect(await answerOf(root)).toBe('kept');
    await writeFiles(root.dir, { 'plugins/it/word.ts': "export const word: string = 'second';" });
    expect(await answerOf(root)).toBe('second');
    await writeFiles(root.dir, { 'plugins/it/word.ts': "export const word: string = 'first';" });
    expect(await answerOf(root)).toBe('kept');
  });

  const WORD = "import { word } from './word.js';\nexport default () => word;";
  const NOT_SAID_BY_ITS_DIRECTORY: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [
      'a dot file',
      { 'index.js': WORD.replace('word.js', '.word.js'), '.word.js': "export const word = 'first';" },
    ],
    [
      'a package that may be missing',
      {
        'index.js':
          "let word = 'first';\ntry { word = require('words').word; } catch {}\nexport default () => word;",
      },
    ],
    [
      'a link',
      { 'index.js': WORD, 'lib/real.js': "export const word = 'first';", 'word.js ->': 'lib/real.js' },
    ],
  ];

  it.each(NOT_SAID_BY_ITS_DIRECTORY)('is not kept where %s is part of it', async (_what, files) => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, { 'plugins/it/schema.json': SCHEMA });
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(root.dir, 'plugins/it', name.replace(' ->', ''));
      await mkdir(path.dirname(file), { recursive: true });
      await (name.endsWith('->') ? symlink(text, file) : writeFile(file, text));
    }
    expect(await answerOf(root)).toBe('first');
    expect(await kept(root)).toEqual([]);
  });

  it('deletes nothing through a link', async () => {
    await using root = await temporaryDirectory();
    const elsewhere = path.join(root.dir, 'elsewhere');
    await mkdir(elsewhere);
    const names = Array.from({ length: 2_100 }, (_, n) => `${n.toString(16).padStart(64, '0')}.json`);
    await Promise.all(names.map((name) => writeFile(path.join(elsewhere, name), '')));
    await mkdir(path.dirname(buildsOf(root)), { recursive: true });
    await symlink(elsewhere, buildsOf(root));
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    expect(await answerOf(root)).toBe('first');
    expect((await readdir(elsewhere)).length).toBeGreaterThanOrEqual(2_100);
  });

  it('is made again when a file comes that an import now leads to', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("import { word } from './word';\nexport default () => word;"));
    await writeFiles(root.dir, { 'plugins/it/word.js': "export const word = 'script';" });
    expect(await answerOf(root)).toBe('script');
    await writeFiles(root.dir, { 'plugins/it/word.ts': "export const word = 'typed';" });
    expect(await answerOf(root)).toBe('typed');
  });

  it('is made again when a package.json above it says something else', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(
      root.dir,
      plugin("import './setup.ts';\nexport default () => globalThis.word ?? 'none';"),
    );
    await writeFiles(root.dir, { 'plugins/it/setup.ts': "(globalThis as { word?: string }).word = 'set';" });
    for (const [sideEffects, word] of [
      [true, 'set'],
      [false, 'none'],
    ] as const) {
      await writeFiles(root.dir, { 'package.json': JSON.stringify({ name: 'above', sideEffects }) });
      expect(await answerOf(root)).toBe(word);
    }
  });

  it.skipIf(process.platform === 'win32')(
    'is made again, and nothing hangs, where a pipe has taken the place of what was kept',
    async () => {
      await using root = await temporaryDirectory();
      await writeFiles(root.dir, plugin("export default () => 'first';"));
      expect(await answerOf(root)).toBe('first');
      const [file = ''] = await kept(root);
      await rm(file);
      execFileSync('mkfifo', [file]);
      expect(await answerOf(root)).toBe('first');
    },
  );

  it('is not kept where a package is part of it', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("import { word } from 'words';\nexport default () => word;"));
    for (const word of ['first', 'second']) {
      await writeFiles(root.dir, {
        'node_modules/words/package.json': '{"name": "words", "type": "module", "main": "index.js"}',
        'node_modules/words/index.js': `export const word = '${word}';`,
      });
      expect(await answerOf(root)).toBe(word);
    }
    expect(await kept(root)).toEqual([]);
  });

  it("is never taken from the disk where it is a stranger's", async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    await answerOf(root, 'granted');
    expect(await kept(root)).toEqual([]);
  });

  it('is not kept when its code does not load', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("throw new Error('early');\nexport default () => 1;"));
    expect(await answerOf(root)).toContain('early');
    expect(await kept(root)).toEqual([]);
  });

  it.each([
    ['cut', '{"code": "var'],
    ['of another shape', '{"code": 3}'],
    ['not JSON', 'hello'],
    ['null', 'null'],
  ])('is made again when what was kept is %s', async (_what, text) => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    expect(await answerOf(root)).toBe('first');
    for (const file of await kept(root)) await writeFile(file, text);
    expect(await answerOf(root)).toBe('first');
    await rm(buildsOf(root), { recursive: true });
    await mkdir(path.dirname(buildsOf(root)), { recursive: true });
    // Where no folder can be made, nothing is kept, and nothing fails by that.
    await writeFile(buildsOf(root), '');
    expect(await answerOf(root)).toBe('first');
  });

  it('writes its types again when they are gone or were changed', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    await answerOf(root);
    const types = path.join(root.dir, 'plugins/it/schema.d.ts');
    const text = await readFile(types, 'utf8');
    await rm(types);
    await answerOf(root);
    expect(await readFile(types, 'utf8')).toBe(text);
    await writeFile(types, 'export {};');
    await answerOf(root);
    expect(await readFile(types, 'utf8')).toBe(text);
  });

  it('tells at each start that its types can not be written, and writes them once they can', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    const types = path.join(root.dir, 'plugins/it/schema.d.ts');
    await mkdir(types);
    await answerOf(root);
    for (let start = 0; start < 2; start += 1) {
      await using host = await createHost({
        config: path.join(root.dir, 'registry.config.json'),
        watch: false,
      });
      expect(JSON.stringify(host.catalog.get('it')?.warnings)).toContain('could not be written');
    }
    await rm(types, { recursive: true });
    await answerOf(root);
    expect(await readFile(types, 'utf8')).toContain('Arguments');
  });

  it('is not written again at each start where no types can be written', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, plugin("export default () => 'first';"));
    await mkdir(path.join(root.dir, 'plugins/it/schema.d.ts'));
    const inodes: number[] = [];
    for (let start = 0; start < 2; start += 1) {
      expect(await answerOf(root)).toBe('first');
      const [file = ''] = await kept(root);
      inodes.push((await stat(file)).ino);
    }
    expect(inodes[0]).toBe(inodes[1]);
  });
});
