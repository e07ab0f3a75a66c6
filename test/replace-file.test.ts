import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from '../core/replace-file.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'glovebox-replace-'));
  file = path.join(dir, 'file');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async () => (await stat(file)).mode & 0o777;

it('writes a new file with the mode that is asked for, from a text or from pieces of one', async () => {
  await replaceFile(file, 'whole', { mode: 0o600, durable: true });
  expect(await readFile(file, 'utf8')).toBe('whole');
  expect(await modeOf()).toBe(0o600);
  await replaceFile(file, ['in ', 'pieces']);
  expect(await readFile(file, 'utf8')).toBe('in pieces');
  expect(await readdir(dir)).toEqual(['file']);
});

it('keeps the mode of the file that was there, whatever the umask would take from it', async () => {
  await writeFile(file, 'old');
  await chmod(file, 0o666);
  await replaceFile(file, 'new', { mode: 0o600 });
  expect(await readFile(file, 'utf8')).toBe('new');
  expect(await modeOf()).toBe(0o666);
});

it('leaves the old file, and nothing beside it, where the new one fails half-way', async () => {
  await writeFile(file, 'old');
  function* breaking() {
    yield 'new';
    throw new Error('no more');
  }
  await expect(replaceFile(file, breaking())).rejects.toThrow('no more');
  expect(await readFile(file, 'utf8')).toBe('old');
  expect(await readdir(dir)).toEqual(['file']);
});

it('rejects as node:fs does where nothing can be put', async () => {
  await expect(replaceFile(path.join(dir, 'none/file'), 'new')).rejects.toMatchObject({ code: 'ENOENT' });
});
