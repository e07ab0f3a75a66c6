import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Allowance, MAX_BYTES, MAX_FILES } from '../../core/install/caps.ts';
import { extractTarball } from '../../core/install/extract-tarball.ts';
import { temporaryRoot } from '../host/temporary-plugins.ts';
import { type TarEntry, writeTarball } from './tarballs.ts';

async function unpack(dir: string, entries: readonly TarEntry[]) {
  const file = await writeTarball(path.join(dir, 'a.tgz'), entries);
  return extractTarball(file, path.join(dir, 'out'), new Allowance());
}

describe('extractTarball', () => {
  it('unpacks files and folders, without the rights that the tarball gives them', async () => {
    await using root = await temporaryRoot();
    const large = 'x'.repeat(3_000_000);
    const refusal = await unpack(root.dir, [
      { path: 'package/', type: 'Directory' },
      { path: 'package/schema.json', content: '{}' },
      { path: './package/lib/deep/large.js', content: large },
      { path: 'package/empty.js' },
    ]);
    expect(refusal).toBeUndefined();
    const out = path.join(root.dir, 'out/package');
    expect((await readdir(out)).sort()).toEqual(['empty.js', 'lib', 'schema.json']);
    expect(await readFile(path.join(out, 'lib/deep/large.js'), 'utf8')).toBe(large);
    expect((await stat(path.join(out, 'schema.json'))).mode & 0o111).toBe(0);
  });

  it.each<[string, TarEntry, RegExp]>([
    [
      'a path that leads upwards',
      { path: 'package/../../evil.js' },
      /leads out of it: package\/\.\.\/\.\.\/evil/,
    ],
    ['an absolute path', { path: '/tmp/glovebox-evil.js' }, /leads out/],
    ['a path with backslashes', { path: 'a\\..\\..\\evil.js' }, /leads out/],
    ['a path with a drive', { path: 'C:evil.js' }, /leads out/],
    [
      'a symbolic link',
      { path: 'link', type: 'SymbolicLink', linkpath: '/etc/passwd' },
      /holds a link \(link\)/,
    ],
    ['a hard link', { path: 'link', type: 'Link', linkpath: 'schema.json' }, /holds a link/],
    ['a device', { path: 'null', type: 'CharacterDevice' }, /device or pipe/],
    ['a pipe', { path: 'pipe', type: 'FIFO' }, /device or pipe/],
    ['the same file twice', { path: 'first.js' }, /twice/],
    ['folders without end', { path: `${'a/'.repeat(40)}b` }, /more than 32 deep/],
  ])('refuses the whole tarball for %s', async (_what, entry, reason) => {
    await using root = await temporaryRoot();
    const refusal = await unpack(root.dir, [{ path: 'first.js', content: '1' }, entry, { path: 'last.js' }]);
    expect(refusal).toMatchObject({ ok: false, kind: 'failed', message: expect.stringMatching(reason) });
    expect(await readdir(root.dir)).toEqual(['a.tgz', 'out']);
  });

  it('ends at the cap for bytes before it writes them', async () => {
    await using root = await temporaryRoot();
    const refusal = await unpack(root.dir, [{ path: 'bomb', size: MAX_BYTES + 1 }]);
    expect(refusal).toMatchObject({ message: expect.stringContaining('more than 128 MiB') });
  });

  it('ends at the cap for files', async () => {
    await using root = await temporaryRoot();
    const many = Array.from(
      { length: MAX_FILES + 1 },
      (_, index): TarEntry => ({ path: `d${index}/`, type: 'Directory' }),
    );
    expect(await unpack(root.dir, many)).toMatchObject({
      message: expect.stringContaining(`more than ${MAX_FILES}`),
    });
  });

  it('ends a gzip bomb that holds no entry at all', async () => {
    await using root = await temporaryRoot();
    const file = path.join(root.dir, 'bomb.tgz');
    await writeFile(file, gzipSync(Buffer.alloc(MAX_BYTES + 80 * 1024 * 1024)));
    const refusal = await extractTarball(file, path.join(root.dir, 'out'), new Allowance());
    expect(refusal?.message).toMatch(/unpacks to more than|can't be unpacked/);
  });

  it.each([
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
    ['zstd', (bytes: Buffer) => zstdCompressSync(bytes)],
  ])('takes none that is packed within by %s, where no cap would count', async (_how, pack) => {
    await using root = await temporaryRoot();
    const file = await writeTarball(path.join(root.dir, 'a.tgz'), [{ path: 'a.js', content: 'x' }]);
    await writeFile(file, gzipSync(pack(gunzipSync(await readFile(file)))));
    const refusal = await extractTarball(file, path.join(root.dir, 'out'), new Allowance());
    expect(refusal?.message).toContain('packed in another way');
  });

  it.each([
    ['no tarball', Buffer.from('<html>not found</html>'.repeat(50))],
    ['cut short', gzipSync(Buffer.alloc(2_000)).subarray(0, 20)],
    ['nothing', Buffer.alloc(0)],
  ])('says so when the file is %s', async (_what, bytes) => {
    await using root = await temporaryRoot();
    const file = path.join(root.dir, 'a.tgz');
    await writeFile(file, bytes);
    const refusal = await extractTarball(file, path.join(root.dir, 'out'), new Allowance());
    expect(refusal?.message).toMatch(/can't be unpacked/);
  });

  it('stops when it is told to', async () => {
    await using root = await temporaryRoot();
    const file = await writeTarball(path.join(root.dir, 'a.tgz'), [{ path: 'a', content: 'a' }]);
    const refusal = await extractTarball(
      file,
      path.join(root.dir, 'out'),
      new Allowance(),
      AbortSignal.abort(),
    );
    expect(refusal).toMatchObject({ message: 'interrupted' });
  });
});
