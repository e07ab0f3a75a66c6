import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { formatSize, parseSize } from '../../core/permissions/size.ts';
import { createStorage, type Storage } from '../../core/permissions/storage/storage.ts';
import { createGuest, policyOf } from './guest.ts';

let dir: string;
let storage: Storage;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'storage-'));
  storage = createStorage({ dir });
});

afterEach(async () => {
  storage.close();
  await rm(dir, { recursive: true, force: true });
});

function guestFor(plugin: string, size = '1KB') {
  return createGuest({ policy: policyOf({ storage: size }), plugin, storage });
}

describe('storage', () => {
  it('keeps JSON values by key, and lists and deletes them', async () => {
    const guest = guestFor('a');
    expect(await guest.ask('storage.get', { key: 'k' })).toEqual({ ok: true, value: null });
    expect(await guest.ask('storage.set', { key: 'k/1', value: { list: [1, 'ü'] } })).toMatchObject({
      ok: true,
    });
    await guest.ask('storage.set', { key: 'k/2', value: 2 });
    await guest.ask('storage.set', { key: 'x', value: false });
    expect(await guest.ask('storage.get', { key: 'k/1' })).toEqual({ ok: true, value: { list: [1, 'ü'] } });
    expect(await guest.ask('storage.keys', { prefix: 'k/' })).toEqual({ ok: true, value: ['k/1', 'k/2'] });
    expect(await guest.ask('storage.keys', {})).toEqual({ ok: true, value: ['k/1', 'k/2', 'x'] });
    expect(await guest.ask('storage.delete', { key: 'k/1' })).toEqual({ ok: true, value: true });
    expect(await guest.ask('storage.delete', { key: 'k/1' })).toEqual({ ok: true, value: false });
  });

  it('is each plugin’s own, even when the names look alike', async () => {
    await guestFor('a.b').ask('storage.set', { key: 'k', value: 1 });
    for (const other of ['a-b', 'A.B', 'a/b', '../a.b']) {
      expect(await guestFor(other).ask('storage.get', { key: 'k' })).toEqual({ ok: true, value: null });
    }
    expect((await readdir(dir)).every((name) => /^[a-z0-9-]+\.sqlite(-wal|-shm)?$/.test(name))).toBe(true);
  });

  it('survives a restart of the host', async () => {
    await guestFor('a').ask('storage.set', { key: 'k', value: 'kept' });
    storage.close();
    storage = createStorage({ dir });
    expect(await guestFor('a').ask('storage.get', { key: 'k' })).toEqual({ ok: true, value: 'kept' });
  });

  it('survives a crash: what was answered is there', async () => {
    const module = new URL('../../core/permissions/storage/storage.ts', import.meta.url).href;
    const script = `
      import { writeSync } from 'node:fs';
      const { createStorage } = await import(${JSON.stringify(module)});
      const storage = createStorage({ dir: ${JSON.stringify(dir)} });
      for (let index = 0; ; index += 1) {
        await storage.set('a', 'k', String(index), 1000);
        writeSync(1, index + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    let warned = '';
    child.stdout.on('data', (data) => {
      said += data;
      if (said.length > 2_000) child.kill('SIGKILL');
    });
    child.stderr.on('data', (data) => {
      warned += data;
    });
    await once(child, 'close');
    const last = Number(said.trimEnd().split('\n').at(-1));
    const kept = await storage.get('a', 'k');
    expect(kept.ok && Number(kept.value)).toBeGreaterThanOrEqual(last);
    expect(warned).toBe('');
  });

  it('ends at the quota, keys included, and makes room again', async () => {
    const guest = guestFor('a', '100');
    expect(await guest.ask('storage.set', { key: 'k', value: 'x'.repeat(97) })).toMatchObject({ ok: true });
    expect(await guest.ask('storage.set', { key: 'l', value: 1 })).toMatchObject({
      ok: false,
      error: { name: 'QuotaExceededError', code: 'quota_exceeded' },
    });
    expect(await guest.ask('storage.set', { key: 'k', value: 'x'.repeat(90) })).toMatchObject({ ok: true });
    expect(await guest.ask('storage.set', { key: 'l', value: 1 })).toMatchObject({ ok: true });
    await guest.ask('storage.delete', { key: 'k' });
    expect(await guest.ask('storage.set', { key: 'm', value: 'x'.repeat(90) })).toMatchObject({ ok: true });
  });

  it('waits for another process without blocking the event loop, and says when it never ends', async () => {
    await guestFor('a').ask('storage.set', { key: 'k', value: 1 });
    const [file] = (await readdir(dir)).filter((name) => name.endsWith('.sqlite'));
    const other = new DatabaseSync(join(dir, file ?? ''));
    other.exec('BEGIN IMMEDIATE');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 5);
    const waiting = guestFor('a').ask('storage.set', { key: 'k', value: 2 });
    await expect.poll(() => ticks).toBeGreaterThan(5);
    other.exec('COMMIT');
    expect(await waiting).toMatchObject({ ok: true });
    clearInterval(ticking);
    other.close();
  });

  it('answers with an error when its file is damaged, and leaves the file alone', async () => {
    await guestFor('a').ask('storage.set', { key: 'k', value: 1 });
    storage.close();
    for (const name of await readdir(dir)) await writeFile(join(dir, name), 'rubbish '.repeat(1_000));
    storage = createStorage({ dir });
    const reply = await guestFor('a').ask('storage.get', { key: 'k' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'storage_unavailable' } });
    expect(JSON.stringify(reply)).not.toContain(dir);
  });

  it('is denied without a grant', async () => {
    const guest = createGuest({ policy: policyOf({}), plugin: 'a', storage });
    expect(await guest.ask('storage.get', { key: 'k' })).toMatchObject({
      error: { code: 'permission_denied' },
    });
    expect(guest.denial(1)).toMatchObject({ requested: false, grant: '"a": { "storage": "1MB" }' });
    const asking = createGuest({ policy: policyOf({ storage: '10KB' }, {}), plugin: 'a', storage });
    expect(await asking.ask('storage.set', { key: 'k', value: 1 })).toMatchObject({
      error: {
        message: expect.stringMatching(
          /^storage: keeping data is not permitted: no grant covers it\. .*"10KB"/,
        ),
      },
    });
    expect(asking.denial(1)).toMatchObject({ requested: true, grant: '"a": { "storage": "10KB" }' });
  });

  it.each([
    ['storage.set', { key: '', value: 1 }],
    ['storage.set', { key: 'k'.repeat(513), value: 1 }],
    ['storage.set', { key: 'a\u0000b', value: 1 }],
    ['storage.set', { key: 7, value: 1 }],
    ['storage.get', {}],
    ['storage.drop', { key: 'k' }],
  ])('refuses %s %j', async (method, params) => {
    expect(await guestFor('a').ask(method, params)).toMatchObject({
      ok: false,
      error: { name: 'TypeError' },
    });
  });
});

describe('sizes', () => {
  it.each<[unknown, number | undefined]>([
    ['1MB', 1024 ** 2],
    ['64 kb', 65_536],
    ['512', 512],
    ['1.5KB', 1_536],
    ['0', undefined],
    ['-1MB', undefined],
    ['1e9', undefined],
    ['1TB', undefined],
    [7, undefined],
  ])('%j is %s bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it('are written for people', () => {
    expect([100, 1_536, 1024 ** 2].map(formatSize)).toEqual(['100 bytes', '1.5 KB', '1 MB']);
  });
});
