import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { discover } from '../../core/plugin/discover.ts';
import { SCHEMA, temporaryDirectory, writeFiles } from './temporary-plugin.ts';

describe('discover', () => {
  it('finds plugins and names them by their folders, looking into no plugin, package or dot folder', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, {
      'calculator/schema.json': SCHEMA,
      'calculator/inner/schema.json': SCHEMA,
      'github/create_issue/schema.json': SCHEMA,
      'github/deep/er/search/schema.json': SCHEMA,
      'node_modules/not/schema.json': SCHEMA,
      '.git/not/schema.json': SCHEMA,
      'notes/readme.md': '',
    });
    const { found, problems } = await discover(root.dir);
    expect(found.map(({ name }) => name)).toEqual([
      'calculator',
      'github.create_issue',
      'github.deep.er.search',
    ]);
    expect(found[1]?.dir).toBe(path.join(root.dir, 'github/create_issue'));
    expect(problems).toEqual([]);
  });

  it('follows no link, and says what to do about one that leads to a plugin', async () => {
    await using root = await temporaryDirectory();
    await using elsewhere = await temporaryDirectory();
    await writeFiles(elsewhere.dir, { 'tool/schema.json': SCHEMA });
    await writeFiles(root.dir, { 'good/schema.json': SCHEMA });
    await symlink(path.join(elsewhere.dir, 'tool'), path.join(root.dir, 'linked'));
    await symlink(root.dir, path.join(root.dir, 'cycle'));
    await symlink('/nowhere', path.join(root.dir, 'dangling'));
    const { found, problems } = await discover(root.dir);
    expect(found.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toMatchObject([
      { dir: path.join(root.dir, 'linked'), message: expect.stringContaining('links are not followed') },
    ]);
  });

  it('says where it stops looking', async () => {
    await using root = await temporaryDirectory();
    await mkdir(path.join(root.dir, 'a/b/c/d/e/f/g/h'), { recursive: true });
    expect((await discover(root.dir)).problems).toMatchObject([
      { message: expect.stringContaining('6 folders') },
    ]);
  });

  it('finds nothing where there is nothing', async () => {
    expect(await discover('/nowhere/at/all')).toMatchObject({ found: [], problems: [] });
  });
});
