import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openShipped, type Shipped } from './shipped.ts';

let shipped: Shipped;
beforeEach(async () => {
  shipped = await openShipped(
    { read_file: {}, write_file: {}, search_files: {} },
    { onApproval: () => true },
  );
  await mkdir(path.join(shipped.dir, 'workspace', 'src'), { recursive: true });
});
afterEach(() => shipped[Symbol.asyncDispose]());

const put = (name: string, content: string | Uint8Array) =>
  writeFile(path.join(shipped.dir, 'workspace', name), content);
const get = (name: string) => readFile(path.join(shipped.dir, 'workspace', name), 'utf8');
const content = async (name: string, args: Record<string, unknown>) =>
  (await shipped.call(name, args)).content;

describe('read_file', () => {
  const read = (args: Record<string, unknown>) => content('read_file', args);

  it('gives text with its size, whole or by lines', async () => {
    await put('a.txt', 'one\r\ntwo\r\nthree\n');
    expect(await read({ path: 'workspace/a.txt' })).toBe(
      'workspace/a.txt: 3 lines, 16 bytes\n\none\ntwo\nthree',
    );
    expect(await read({ path: './workspace/a.txt', from: 2, lines: 1, numbers: true })).toBe(
      './workspace/a.txt: 3 lines, 16 bytes, lines 2-2 (go on with "from": 3)\n\n2  two',
    );
    expect(await read({ path: 'workspace/a.txt', from: -1 })).toMatch(/lines 3-3\n\nthree$/);
    expect(await read({ path: 'workspace/a.txt', from: 9 })).toMatch(
      /"from" is 9, but the file has only 3 lines/,
    );
    await put('empty.txt', '');
    expect(await read({ path: 'workspace/empty.txt' })).toMatch(
      /0 lines, 0 bytes\n\n\(The file is empty\.\)/,
    );
  });

  it('reads encodings other than UTF-8 and says so', async () => {
    await put('wide.txt', Buffer.from('\ufeffwide ä', 'utf16le'));
    expect(await read({ path: 'workspace/wide.txt' })).toMatch(/encoding UTF-16 LE\n\nwide ä$/);
    await put('latin.txt', Buffer.from('Käse', 'latin1'));
    expect(await read({ path: 'workspace/latin.txt' })).toMatch(/windows-1252\n\nKäse$/);
  });

  it('refuses what is no text, and says what it is', async () => {
    await put('x.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]));
    expect(await read({ path: 'workspace/x.png' })).toMatch(/is a PNG image of 10 bytes, not text/);
    await put('x.bin', Buffer.from([1, 2, 0, 3]));
    expect(await read({ path: 'workspace/x.bin' })).toMatch(/is a binary file of 4 bytes/);
    await put('PK.txt', 'MZ is how this text begins');
    expect(await read({ path: 'workspace/PK.txt' })).toMatch(/MZ is how/);
  });

  it('cuts lines that are too long', async () => {
    await put('min.js', 'x'.repeat(10_000));
    expect(await read({ path: 'workspace/min.js' })).toMatch(
      /1 line cut at 4000 characters[\s\S]*… \(6000 characters more\)$/,
    );
  });

  it('helps with a name that is not there, a folder and a path outside', async () => {
    await put('notes.md', 'x');
    expect(await read({ path: 'workspace/note.md' })).toMatch(
      /no file workspace\/note\.md\. Did you mean notes\.md\?/,
    );
    expect(await read({ path: 'workspace/zzzzzz' })).toMatch(/workspace holds notes\.md, src\//);
    expect(await read({ path: 'workspace' })).toMatch(/is a folder, not a file. It holds notes\.md, src\//);
    for (const outside of ['registry.config.json', 'workspace/../registry.config.json', '/etc/passwd']) {
      const result = await shipped.call('read_file', { path: outside });
      expect(result, outside).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
    }
  });
});

describe('write_file', () => {
  const write = (args: Record<string, unknown>) => content('write_file', args);

  it('creates with folders, and leaves an existing file alone', async () => {
    expect(await write({ path: 'workspace/new/deep/a.md', content: 'one\ntwo\n' })).toBe(
      'Created workspace/new/deep/a.md (2 lines, 8 bytes).',
    );
    expect(await write({ path: 'workspace/new/deep/a.md', content: 'x' })).toMatch(
      /exists already and was left alone/,
    );
    expect(await get('new/deep/a.md')).toBe('one\ntwo\n');
  });

  it('creates its root folder when that is not there', async () => {
    await using bare = await openShipped({ write_file: {} }, { onApproval: () => true });
    expect(await bare.call('write_file', { path: 'workspace/a.txt', content: 'x' })).toMatchObject({
      ok: true,
    });
  });

  it('makes one file when many calls create it at one time', async () => {
    const calls = Array.from({ length: 6 }, (_, index) =>
      write({ path: 'workspace/race.txt', content: `${index}` }),
    );
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer.startsWith('Created'))).toHaveLength(1);
  });

  it('replaces and extends', async () => {
    await put('a.txt', 'old\n');
    expect(await write({ path: 'workspace/a.txt', mode: 'append', content: 'ä\n' })).toBe(
      'Added 1 line, 3 bytes to workspace/a.txt; it has 7 bytes now.',
    );
    expect(await get('a.txt')).toBe('old\nä\n');
    expect(await write({ path: 'workspace/a.txt', mode: 'overwrite', content: 'new' })).toMatch(
      /it had 7 bytes/,
    );
    expect(await get('a.txt')).toBe('new');
  });

  it('edits exactly, all or nothing', async () => {
    await put('a.txt', 'one $& two\ntwo\n');
    const edit = (...edits: object[]) => write({ path: 'workspace/a.txt', mode: 'edit', edits });
    expect(await edit({ find: 'one', replace: '$&' }, { find: 'two', replace: '2', all: true })).toMatch(
      /Edited .* in 3 places/,
    );
    expect(await get('a.txt')).toBe('$& $& 2\n2\n');
    expect(await edit({ find: '$& 2', replace: 'x' }, { find: 'zzz', replace: '' })).toMatch(
      /Edit 2 does not fit: the text is not in the file\. Nothing was changed/,
    );
    expect(await edit({ find: '2', replace: 'x' })).toMatch(/fits 2 times \(lines 1, 2\)/);
    expect(await edit({ find: '2  2', replace: 'x' })).toMatch(/other spaces or line breaks/);
    expect(await get('a.txt')).toBe('$& $& 2\n2\n');
  });

  it.each([
    [{ path: 'workspace/a.txt' }, /needs "content"/],
    [{ path: 'workspace/a.txt', mode: 'edit' }, /needs "edits"/],
    [{ path: 'workspace/', content: '' }, /names a folder/],
    [{ path: 'workspace/src', mode: 'overwrite', content: '' }, /is a folder/],
    [
      { path: 'workspace/none.txt', mode: 'edit', edits: [{ find: 'a', replace: 'b' }] },
      /no file workspace\/none\.txt/,
    ],
    [{ path: 'plugins/write_file/index.ts', mode: 'overwrite', content: '' }, /not permitted/],
    [{ path: 'registry.lock.json', content: '{}' }, /not permitted/],
  ])('says what is wrong with %j', async (args, reason) => {
    expect(await write(args)).toMatch(reason);
  });
});

describe('search_files', () => {
  const search = (args: Record<string, unknown>) => content('search_files', args);
  beforeEach(async () => {
    await put('notes.md', '# Plan\nbuy pencils\nTODO call\nend\n');
    await put('src/main.ts', 'const a = 1; // todo\n');
    await put('src/.secret', 'TODO hidden\n');
    await put('image.bin', Buffer.from('TODO\0'));
  });

  it('finds lines with their place, case and context as asked', async () => {
    expect(await search({ text: 'TODO' })).toBe(
      '1 match in 1 file (3 files searched in workspace; 1 file left out as no text or too large).\n\nworkspace/notes.md\n  3: TODO call'.replace(
        '3 files',
        '2 files',
      ),
    );
    expect(await search({ text: 'todo', ignoreCase: true, context: 1 })).toContain(
      'workspace/notes.md\n  2- buy pencils\n  3: TODO call\n  4- end\n\nworkspace/src/main.ts\n  1: const a = 1; // todo',
    );
    expect(await search({ text: 'TODO', hidden: true })).toContain('workspace/src/.secret\n  1: TODO hidden');
    expect(await search({ text: 'nowhere' })).toMatch(/^No line holds "nowhere" \(2 files searched/);
  });

  it('takes regular expressions that can not hang', async () => {
    await put('long.txt', `${'a'.repeat(50_000)}!\n`);
    expect(await search({ text: '(a+)+$', regex: true, glob: 'long.txt' })).toMatch(/^No line holds/);
    expect(await search({ text: '^# \\p{Lu}\\w+', regex: true })).toContain(
      'workspace/notes.md\n  1: # Plan',
    );
    expect(await search({ text: '(?=a)', regex: true })).toMatch(/not valid.*Look-around/);
    expect(await search({ text: '(', regex: true })).toMatch(/not valid/);
  });

  it.each([
    ['*.md', ['notes.md']],
    ['**/*.ts', ['src/main.ts']],
    ['src/*', ['src/main.ts']],
    ['*.{md,ts}', ['notes.md', 'src/main.ts']],
    ['[m-n]*.??', ['notes.md', 'src/main.ts']],
    ['[!n]*', ['image.bin', 'src/main.ts']],
    ['[in]*', ['image.bin', 'notes.md']],
    ['src/', ['src/main.ts']],
    ['**', ['image.bin', 'notes.md', 'src/main.ts']],
  ])('lists what %s matches', async (glob, expected) => {
    const lines = (await search({ glob })).split('\n').slice(2);
    expect(lines.map((line) => line.replace(/^workspace\/| \(.*$/g, ''))).toEqual(expected);
  });

  it('says so when there is more than it shows', async () => {
    await put('many.txt', 'x\n'.repeat(50));
    expect(await search({ text: 'x', glob: 'many.txt', maxResults: 3 })).toMatch(
      /^The first 3 matches .* There are more/,
    );
    expect(await search({ maxResults: 1 })).toMatch(/^4 files in workspace match \*\*; the first 1:/);
    await put('wide.txt', `${'-'.repeat(5_000)}needle${'-'.repeat(5_000)}`);
    expect((await search({ text: 'needle' })).length).toBeLessThan(600);
  });

  it('stays within what is granted, and says what is wrong', async () => {
    expect(await shipped.call('search_files', { path: '.' })).toMatchObject({ ok: true });
    expect(await search({ path: '.', text: 'plugins' })).not.toContain('registry.config.json');
    expect(await shipped.call('search_files', { path: 'plugins' })).toMatchObject({
      error: { code: 'permission_denied' },
    });
    expect(await search({ path: 'workspace/none' })).toMatch(/no folder workspace\/none/);
    expect(await search({ path: 'workspace/notes.md' })).toMatch(/is a file/);
    expect(await search({ regex: true })).toMatch(/need "text"/);
    expect(await search({ glob: '{a' })).toMatch(/No file/);
    expect(await search({ text: 'a\nb' })).toMatch(/line by line|one by one/);
  });
});
