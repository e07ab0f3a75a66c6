import { execFileSync } from 'node:child_process';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuest, policyOf, type Reply } from '../guest.ts';

let root: string;
let base: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'files-'));
  base = join(root, 'work');
  await mkdir(join(base, 'data/sub'), { recursive: true });
  await mkdir(join(base, 'plugins/tester'), { recursive: true });
  await mkdir(join(base, 'store'));
  await writeFile(join(root, 'outside.txt'), 'outside');
  await writeFile(join(base, 'registry.config.json'), '{}');
  await writeFile(join(base, 'plugins/tester/schema.json'), '{}');
  await writeFile(join(base, 'data/a.txt'), 'inside');
  await writeFile(join(base, 'data/sub/b.md'), 'below');
});

afterEach(() => rm(root, { recursive: true, force: true }));

function guestWith(request: { read?: string[]; write?: string[] }, more: object = {}) {
  return createGuest({
    policy: policyOf(request),
    plugin: 'tester',
    baseDir: base,
    protectedPaths: {
      closed: [join(base, 'registry.config.json'), join(base, 'registry.lock.json'), join(base, 'store')],
      readOnly: [join(base, 'plugins')],
    },
    ...more,
  });
}

type Guest = ReturnType<typeof guestWith>;

async function read(guest: Guest, path: string): Promise<string> {
  const reply = await guest.ask('fs.readFile', { path });
  return reply.ok ? Buffer.from((reply.value as { data: string }).data, 'base64').toString() : outcome(reply);
}

async function write(guest: Guest, path: string, text = 'new', method = 'fs.writeFile'): Promise<string> {
  return outcome(await guest.ask(method, { path, data: Buffer.from(text).toString('base64') }));
}

function outcome(reply: Reply): string {
  return reply.ok ? 'ok' : (reply.error.code ?? reply.error.name);
}

const everything = { read: ['./data/**'], write: ['./data/**'] };

describe('reading and writing', () => {
  it('works within the roots and leaves a trace', async () => {
    const guest = guestWith(everything);
    expect(await read(guest, 'data/a.txt')).toBe('inside');
    expect(await read(guest, './data/sub/../a.txt')).toBe('inside');
    expect(await read(guest, join(base, 'data/a.txt'))).toBe('inside');
    expect(await write(guest, 'data/new.txt', 'one')).toBe('ok');
    expect(await write(guest, 'data/new.txt', '+two', 'fs.appendFile')).toBe('ok');
    expect(await readFile(join(base, 'data/new.txt'), 'utf8')).toBe('one+two');
    expect(await write(guest, 'data/new.txt', 'x')).toBe('ok');
    expect(await readFile(join(base, 'data/new.txt'), 'utf8')).toBe('x');
    expect(guest.uses()).toContainEqual({
      capability: 'read',
      target: './data/a.txt',
      allowed: true,
      count: 3,
    });
  });

  it('answers with Node’s codes and never with a path of the host', async () => {
    const guest = guestWith(everything);
    const replies = [
      await guest.ask('fs.readFile', { path: 'data/none.txt' }),
      await guest.ask('fs.readFile', { path: 'data/sub' }),
      await guest.ask('fs.readFile', { path: 'data/a.txt/x' }),
      await guest.ask('fs.readdir', { path: 'data/a.txt' }),
      await guest.ask('fs.mkdir', { path: 'data/sub' }),
      await guest.ask('fs.rm', { path: 'data/sub' }),
      await guest.ask('fs.writeFile', { path: 'data/none/x', data: '' }),
      await guest.ask('fs.readFile', { path: '../outside.txt' }),
    ];
    expect(replies.map(outcome)).toEqual([
      'ENOENT',
      'EISDIR',
      'ENOTDIR',
      'ENOTDIR',
      'EEXIST',
      'EISDIR',
      'ENOENT',
      'permission_denied',
    ]);
    expect(JSON.stringify(replies)).not.toContain(root);
    expect(replies[0]).toMatchObject({
      error: { message: "ENOENT: no such file or directory, open 'data/none.txt'" },
    });
  });

  it('says which grant would allow it', async () => {
    const guest = createGuest({ policy: policyOf(everything, {}), plugin: 'tester', baseDir: base });
    const reply = await guest.ask('fs.readFile', { path: 'data/a.txt' });
    expect(reply).toMatchObject({ error: { name: 'NotAllowedError', code: 'permission_denied' } });
    expect(guest.denial(1)).toMatchObject({
      capability: 'read',
      target: './data/a.txt',
      requested: true,
      grant: '"tester": { "read": ["./data/a.txt"] }',
    });
  });

  it('keeps reading and writing apart', async () => {
    const guest = guestWith({ read: ['./data/*.txt'], write: ['./data/out/**'] });
    expect(await write(guest, 'data/a.txt')).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.mkdir', { path: 'data/out/x', recursive: true }))).toBe('ok');
    expect(await write(guest, 'data/out/x/f')).toBe('ok');
    expect(await read(guest, 'data/out/x/f')).toBe('permission_denied');
  });

  it('caps what is read, written, grown and listed', async () => {
    const guest = guestWith(everything, {
      fileLimits: { readBytes: 6, writeBytes: 4, fileBytes: 8, entries: 2, totalWriteBytes: 12 },
    });
    expect(await read(guest, 'data/a.txt')).toBe('inside');
    await writeFile(join(base, 'data/large'), '1234567');
    expect(await read(guest, 'data/large')).toBe('EFBIG');
    expect(await write(guest, 'data/x', '12345')).toBe('EFBIG');
    expect(await write(guest, 'data/large', '12', 'fs.appendFile')).toBe('EFBIG');
    expect(await write(guest, 'data/x', '1234')).toBe('ok');
    expect(await write(guest, 'data/x', '1234', 'fs.appendFile')).toBe('ok');
    expect(await write(guest, 'data/x', '1234')).toBe('EFBIG');
    expect(outcome(await guest.ask('fs.readdir', { path: 'data' }))).toBe('EFBIG');
  });
});

describe('traversal', () => {
  it.each([
    '../outside.txt',
    'data/../../outside.txt',
    './data/sub/../../../outside.txt',
    'data//..//..//outside.txt',
    '/etc/passwd',
    '//etc/passwd',
    '..\\outside.txt',
    'data\\..\\..\\outside.txt',
    'data/..\\../outside.txt',
    '\\\\?\\C:\\outside.txt',
    '\\\\server\\share\\x',
    'C:\\outside.txt',
    'C:/outside.txt',
    'file:///etc/passwd',
    'data/a.txt\u0000.png',
    'data/a.txt\n',
    'data/a.txt.',
    'data/a.txt ',
    'data/.../../../outside.txt',
    'data/a.txt::$DATA',
    'data/．．/．．/outside.txt',
    'data／..／..／outside.txt',
    'data/‥/outside.txt',
    'data/a\u200b.txt',
    'data/\u202etxt.a',
    'data/\ud800',
    '~/x',
    '~root/x',
    '',
    `data/${'x'.repeat(300)}`,
    `${'data/../'.repeat(2_000)}data/a.txt`,
    '/proc/self/environ',
    '/proc/self/fd/0',
    '/dev/zero',
  ])('as %j is refused', async (path) => {
    const guest = guestWith(everything);
    expect(await read(guest, path)).toBe('permission_denied');
    expect(await write(guest, path)).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.readdir', { path }))).toBe('permission_denied');
    expect(await readFile(join(root, 'outside.txt'), 'utf8')).toBe('outside');
  });

  it.each(['data/%2e%2e/%2e%2e/outside.txt', 'data/..%2f..%2foutside.txt', 'data/%00'])(
    'as %j is a name like any other, found nowhere',
    async (path) => {
      expect(await read(guestWith(everything), path)).toBe('ENOENT');
    },
  );

  it('finds no way into the config, the lock, the storage, and none to change plugins', async () => {
    const guest = guestWith({ read: ['./**', '/**'], write: ['./**', '/**'] });
    for (const path of [
      'registry.config.json',
      './data/../registry.config.json',
      'registry.lock.json',
      'store/x',
    ]) {
      expect(await read(guest, path)).toBe('permission_denied');
      expect(await write(guest, path)).toBe('permission_denied');
    }
    expect(await read(guest, 'plugins/tester/schema.json')).toBe('{}');
    expect(await write(guest, 'plugins/tester/schema.json')).toBe('permission_denied');
    expect(await write(guest, 'plugins/other/index.js')).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.mkdir', { path: 'plugins/evil' }))).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.rename', { from: 'plugins', to: 'data/p' }))).toBe(
      'permission_denied',
    );
    expect(outcome(await guest.ask('fs.rename', { from: 'data', to: 'plugins' }))).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.rm', { path: 'plugins', recursive: true, force: true }))).toBe(
      'permission_denied',
    );
    expect(outcome(await guest.ask('fs.rename', { from: 'registry.config.json', to: 'data/c' }))).toBe(
      'permission_denied',
    );
    await link(join(base, 'registry.config.json'), join(base, 'data/hard'));
    expect(await read(guest, 'data/hard')).toBe('permission_denied');
    expect(await write(guest, 'data/hard')).toBe('permission_denied');
    expect(await readFile(join(base, 'registry.config.json'), 'utf8')).toBe('{}');
  });

  it('does not lose a directory that holds a protected one', async () => {
    const guest = guestWith({ read: [], write: ['/**'] });
    expect(outcome(await guest.ask('fs.rename', { from: base, to: `${root}/moved` }))).toBe(
      'permission_denied',
    );
    expect((await stat(base)).isDirectory()).toBe(true);
  });
});

describe('symbolic links', () => {
  it('are followed to what is granted and not beyond', async () => {
    await symlink('a.txt', join(base, 'data/within'));
    await symlink('../../outside.txt', join(base, 'data/out'));
    await symlink(root, join(base, 'data/up'));
    await symlink('../../created.txt', join(base, 'data/dangling'));
    await symlink('loop', join(base, 'data/loop'));
    await symlink('../registry.config.json', join(base, 'data/config'));
    const guest = guestWith(everything);
    expect(await read(guest, 'data/within')).toBe('inside');
    for (const path of ['data/out', 'data/up/outside.txt', 'data/config']) {
      expect(await read(guest, path)).toBe('permission_denied');
      expect(await write(guest, path)).toBe('permission_denied');
    }
    expect(await write(guest, 'data/up/created.txt')).toBe('permission_denied');
    expect(await write(guest, 'data/dangling')).toBe('EEXIST');
    expect(await read(guest, 'data/loop')).toBe('ELOOP');
    expect(outcome(await guest.ask('fs.mkdir', { path: 'data/up/made', recursive: true }))).toBe(
      'permission_denied',
    );
    expect(outcome(await guest.ask('fs.readdir', { path: 'data/up' }))).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.stat', { path: 'data/up/outside.txt' }))).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.access', { path: 'data/out' }))).toBe('permission_denied');
    expect(outcome(await guest.ask('fs.rename', { from: 'data/a.txt', to: 'data/up/a.txt' }))).toBe(
      'permission_denied',
    );
    expect(outcome(await guest.ask('fs.rm', { path: 'data/up/outside.txt' }))).toBe('permission_denied');
    expect(await readdir(root)).toEqual(['outside.txt', 'work']);
  });

  it('are removed, renamed and described as themselves', async () => {
    await symlink(root, join(base, 'data/up'));
    const guest = guestWith(everything);
    expect(await guest.ask('fs.lstat', { path: 'data/up' })).toMatchObject({ value: { kind: 'symlink' } });
    expect(outcome(await guest.ask('fs.rename', { from: 'data/up', to: 'data/still' }))).toBe('ok');
    expect(outcome(await guest.ask('fs.rm', { path: 'data/still', recursive: true }))).toBe('ok');
    expect(await readFile(join(root, 'outside.txt'), 'utf8')).toBe('outside');
  });

  it('are not walked by a recursive listing or removal', async () => {
    await symlink(root, join(base, 'data/sub/up'));
    const guest = guestWith(everything);
    const listed = await guest.ask('fs.readdir', { path: 'data', recursive: true });
    expect(listed).toMatchObject({ ok: true });
    const names = (listed as { value: { name: string; kind: string; parent: string }[] }).value;
    expect(names.map((entry) => `${entry.parent}/${entry.name} ${entry.kind}`).sort()).toEqual([
      'data/a.txt file',
      'data/sub directory',
      'data/sub/b.md file',
      'data/sub/up symlink',
    ]);
    expect(outcome(await guest.ask('fs.rm', { path: 'data/sub', recursive: true }))).toBe('ok');
    expect(await readFile(join(root, 'outside.txt'), 'utf8')).toBe('outside');
  });

  it('swapped in during the call never win the race', async () => {
    await mkdir(join(root, 'secret'));
    await writeFile(join(root, 'secret/a.txt'), 'SECRET');
    await mkdir(join(base, 'data/real'));
    await writeFile(join(base, 'data/real/a.txt'), 'inside');
    await symlink(join(root, 'secret'), join(base, 'data/trap'));
    const guest = guestWith(everything, { fileLimits: { totalWriteBytes: 2 ** 30 } });
    let racing = true;
    const race = (async () => {
      while (racing) {
        // `dir` is now the directory, now a link to the outside; `leaf` likewise.
        await rename(join(base, 'data/real'), join(base, 'data/dir')).catch(() => undefined);
        await rename(join(base, 'data/dir'), join(base, 'data/real')).catch(() => undefined);
        await rename(join(base, 'data/trap'), join(base, 'data/dir')).catch(() => undefined);
        await rename(join(base, 'data/dir'), join(base, 'data/trap')).catch(() => undefined);
        await unlink(join(base, 'data/leaf')).catch(() => undefined);
        await symlink(join(root, 'secret/a.txt'), join(base, 'data/leaf')).catch(() => undefined);
        await unlink(join(base, 'data/leaf')).catch(() => undefined);
        await symlink(join(root, 'secret/new.txt'), join(base, 'data/leaf')).catch(() => undefined);
      }
    })();
    const outcomes = new Set<string>();
    const until = performance.now() + 700;
    while (performance.now() < until) {
      const round = await Promise.all([
        read(guest, 'data/dir/a.txt'),
        read(guest, 'data/leaf'),
        write(guest, 'data/dir/a.txt', 'inside'),
        write(guest, 'data/leaf', 'inside'),
        write(guest, 'data/dir/fresh.txt', 'inside'),
        guest.ask('fs.rm', { path: 'data/dir/a.txt' }).then(outcome),
        guest.ask('fs.mkdir', { path: 'data/dir/made', recursive: true }).then(outcome),
      ]);
      for (const one of round) outcomes.add(one);
    }
    racing = false;
    await race;
    expect(outcomes).not.toContain('SECRET');
    expect(await readdir(join(root, 'secret'))).toEqual(['a.txt']);
    expect(await readFile(join(root, 'secret/a.txt'), 'utf8')).toBe('SECRET');
    // The race was one: both sides of it were met.
    expect(outcomes).toContain('permission_denied');
    expect(outcomes).toContain('ok');
  });
});

describe('files that are none', () => {
  it('pipes and sockets are refused at once and block nothing', async () => {
    execFileSync('mkfifo', [join(base, 'data/pipe')]);
    const socket = createServer();
    await new Promise<void>((listening) => socket.listen(join(base, 'data/socket'), listening));
    const guest = guestWith(everything);
    for (const path of ['data/pipe', 'data/socket']) {
      expect(await read(guest, path)).toBe('EINVAL');
      expect(await write(guest, path)).toBe('EINVAL');
      expect(await write(guest, path, 'x', 'fs.appendFile')).toBe('EINVAL');
      expect(await guest.ask('fs.stat', { path })).toMatchObject({ value: { kind: 'other' } });
    }
    socket.close();
  });

  it('devices are refused even when they are granted', async () => {
    const guest = guestWith({ read: ['/dev/zero'], write: ['/dev/null'] });
    expect(await read(guest, '/dev/zero')).toBe('EINVAL');
    expect(await write(guest, '/dev/null')).toBe('EINVAL');
  });
});

describe('directories', () => {
  it('show what may be read and the way to it, and nothing else', async () => {
    await writeFile(join(base, 'data/hidden.key'), 'k');
    const guest = guestWith({ read: ['./data/**/*.md'] });
    const names = async (path: string) => {
      const reply = await guest.ask('fs.readdir', { path });
      return reply.ok ? (reply.value as { name: string }[]).map((entry) => entry.name) : outcome(reply);
    };
    expect(await names('data')).toEqual(['sub']);
    expect(await names('data/sub')).toEqual(['b.md']);
    expect(await names('.')).toEqual(['data']);
    expect(await names('store')).toBe('permission_denied');
  });

  it('are made, moved and removed with all that is in them, where all of it is granted', async () => {
    const guest = guestWith({ read: ['./data/**'], write: ['./data/**'] });
    expect(outcome(await guest.ask('fs.mkdir', { path: 'data/x/y/z', recursive: true }))).toBe('ok');
    expect(outcome(await guest.ask('fs.mkdir', { path: 'data/x/y/z', recursive: true }))).toBe('ok');
    expect(outcome(await guest.ask('fs.mkdir', { path: 'data/q/r' }))).toBe('ENOENT');
    expect(outcome(await guest.ask('fs.rename', { from: 'data/x', to: 'data/w' }))).toBe('ok');
    expect(outcome(await guest.ask('fs.rm', { path: 'data/w', recursive: true }))).toBe('ok');
    expect(outcome(await guest.ask('fs.rm', { path: 'data/w' }))).toBe('ENOENT');
    expect(outcome(await guest.ask('fs.rm', { path: 'data/w', force: true }))).toBe('ok');
    const narrow = guestWith({ write: ['./data/*'] });
    expect(outcome(await narrow.ask('fs.rename', { from: 'data/sub', to: 'data/moved' }))).toBe(
      'permission_denied',
    );
    expect(outcome(await narrow.ask('fs.rm', { path: 'data/sub', recursive: true }))).toBe(
      'permission_denied',
    );
  });

  it('do not make a file readable by moving it', async () => {
    await mkdir(join(base, 'inbox'));
    await writeFile(join(base, 'inbox/private'), 'p');
    const guest = guestWith({ read: ['./data/**'], write: ['./data/**', './inbox/**'] });
    expect(outcome(await guest.ask('fs.rename', { from: 'inbox/private', to: 'data/private' }))).toBe(
      'permission_denied',
    );
    expect(outcome(await guest.ask('fs.rename', { from: 'data/a.txt', to: 'inbox/a.txt' }))).toBe('ok');
  });
});

describe('the host', () => {
  it('keeps no descriptor open after many operations at one time', async () => {
    const guest = guestWith(everything);
    await read(guest, 'data/a.txt');
    const before = (await readdir('/proc/self/fd')).length;
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 2 ? read(guest, 'data/a.txt') : write(guest, `data/none/${index}`),
      ),
    );
    expect((await readdir('/proc/self/fd')).length).toBeLessThanOrEqual(before + 2);
  });

  it.each([
    ['fs.readFile', '{}'],
    ['fs.readFile', '{"path":7}'],
    ['fs.readFile', '{"__proto__":{"path":"data/a.txt"}}'],
    ['fs.writeFile', '{"path":"data/x","data":"***"}'],
    ['fs.mkdir', '{"path":"data/x","recursive":"yes"}'],
    ['fs.access', '{"path":"data/a.txt","mode":-1}'],
    ['fs.readFile', 'nonsense'],
    ['fs.readFile', '[]'],
    ['fs.unheard', '{}'],
    ['constructor', '{}'],
    ['', '{}'],
  ])('answers %s %s with a TypeError', async (method, params) => {
    expect(await guestWith(everything).ask(method, params)).toMatchObject({
      ok: false,
      error: { name: 'TypeError' },
    });
  });
});
