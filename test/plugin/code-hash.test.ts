import { cp, mkdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundlePlugin } from '../../core/plugin/bundle.ts';
import { temporaryRoot } from '../host/temporary-plugins.ts';

type Files = Readonly<Record<string, string>>;

async function put(dir: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await rm(file, { force: true });
    if (text.startsWith('-> ')) await symlink(text.slice(3), file);
    else await writeFile(file, text);
  }
}

async function bundle(dir: string) {
  const bundled = await bundlePlugin({ dir, entry: 'index.js', packagesAbove: false });
  if (!bundled.ok) throw new Error(JSON.stringify(bundled.problems));
  return bundled;
}

const ONE_OF_TWO: Files = {
  'a.js': 'export const v = 1;',
  'b.js': 'export const v = 2;',
};
const chosenBy = (specifier: string) =>
  `import { v } from '${specifier}'; import * as a from './a.js'; import * as b from './b.js'; export default () => [v, a, b];`;

/** Changes that leave the bytes of every bundled file as they were. */
const REWIRINGS: Readonly<Record<string, readonly [before: Files, after: Files]>> = {
  'an import map': [
    { ...ONE_OF_TWO, 'index.js': chosenBy('#x'), 'package.json': '{"imports":{"#x":"./a.js"}}' },
    { 'package.json': '{"imports":{"#x":"./b.js"}}' },
  ],
  'a browser map': [
    {
      ...ONE_OF_TWO,
      'index.js': chosenBy('./x.js'),
      'x.js': '',
      'package.json': '{"browser":{"./x.js":"./a.js"}}',
    },
    { 'package.json': '{"browser":{"./x.js":"./b.js"}}' },
  ],
  'a link': [{ ...ONE_OF_TWO, 'index.js': chosenBy('./x.js'), 'x.js': '-> a.js' }, { 'x.js': '-> b.js' }],
  'a link for the entry': [
    {
      'a.js': "import './b.js'; export default () => 1;",
      'b.js': "import './a.js'; export default () => 2;",
      'index.js': '-> a.js',
    },
    { 'index.js': '-> b.js' },
  ],
  'side effects of a package': [
    {
      'index.js': "import 'p'; export default () => globalThis.x;",
      'node_modules/p/package.json': '{"name":"p","sideEffects":false}',
      'node_modules/p/index.js': 'globalThis.x = 1;',
    },
    { 'node_modules/p/package.json': '{"name":"p"}' },
  ],
  'what import means': [
    {
      'index.js': "import x from './c.cjs'; export default () => x;",
      'c.cjs': 'exports.__esModule = true; exports.default = 1;',
      'package.json': '{}',
    },
    { 'package.json': '{"type":"module"}' },
  ],
};

describe('the hash of the code that consent is given to', () => {
  it.each(Object.entries(REWIRINGS))(
    'changes with %s, though no file of the code does',
    async (_what, [before, after]) => {
      await using root = await temporaryRoot();
      await put(root.dir, before);
      const first = await bundle(root.dir);
      await put(root.dir, after);
      const second = await bundle(root.dir);
      expect(second.code).not.toBe(first.code);
      expect(second.hash).not.toBe(first.hash);
    },
  );

  it('is the same wherever the same files lie, built-ins and packages included', async () => {
    await using root = await temporaryRoot();
    const here = path.join(root.dir, 'here');
    const there = path.join(root.dir, 'some', 'where', 'else');
    await put(here, {
      'index.js':
        "import path from 'node:path'; import { Readable } from 'node:stream'; import p from 'p'; export default () => [path, Readable, p];",
      'node_modules/p/package.json': '{"name":"p"}',
      'node_modules/p/index.js': "module.exports = require('events');",
    });
    await cp(here, there, { recursive: true });
    expect((await bundle(there)).hash).toBe((await bundle(here)).hash);
  });

  it('needs nothing but the files: a note beside them changes nothing', async () => {
    await using root = await temporaryRoot();
    await put(root.dir, { 'index.js': 'export default () => 1;', 'README.md': 'one' });
    const { hash } = await bundle(root.dir);
    await put(root.dir, {
      'README.md': 'two',
      'tsconfig.json': '{"compilerOptions":{"paths":{"x":["./y"]}}}',
    });
    expect((await bundle(root.dir)).hash).toBe(hash);
    await unlink(path.join(root.dir, 'README.md'));
  });
});
