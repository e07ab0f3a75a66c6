import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../files/file-errors.ts';
import { openStore, type Store } from './store.ts';

export type Stored<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'quota' | 'busy' | 'unavailable' };

/** The key-value stores of all plugins, one SQLite file each, in one directory of the host's. */
export interface Storage {
  get(plugin: string, key: string): Promise<Stored<string | undefined>>;
  /** `value` is JSON text. Refused when the plugin's keys and values would exceed `quota` bytes. */
  set(plugin: string, key: string, value: string, quota: number): Promise<Stored<undefined>>;
  delete(plugin: string, key: string): Promise<Stored<boolean>>;
  /** At most `most` keys, in order. */
  keys(plugin: string, prefix: string, most: number): Promise<Stored<readonly string[]>>;
  close(): void;
}

const MOST_OPEN = 64;
const BUSY_RETRIES = 40;
const BUSY_PAUSE_MS = 25;

/**
 * Each operation is one short transaction on the calling thread. Another process that holds the file is waited for
 * with timers, not inside SQLite, so the event loop goes on. What was answered survives a crash of the process (WAL);
 * a power cut may lose the last writes but never damages the file.
 */
export function createStorage(options: { readonly dir: string }): Storage {
  const stores = new Map<string, Promise<Store>>();
  let closed = false;

  function storeOf(plugin: string): Promise<Store> {
    const known = stores.get(plugin);
    stores.delete(plugin);
    const store = known ?? openFile(options.dir, plugin);
    // Last used, last out.
    stores.set(plugin, store);
    if (!known) store.catch(() => stores.delete(plugin));
    for (const [name, oldest] of stores) {
      if (stores.size <= MOST_OPEN) break;
      stores.delete(name);
      oldest.then((one) => one.close()).catch(() => undefined);
    }
    return store;
  }

  async function use<Value>(plugin: string, work: (store: Store) => Stored<Value>): Promise<Stored<Value>> {
    for (let attempt = 0; ; attempt += 1) {
      if (closed) return { ok: false, reason: 'unavailable' };
      try {
        return work(await storeOf(plugin));
      } catch (error) {
        if (!isBusy(error)) return { ok: false, reason: 'unavailable' };
        if (attempt >= BUSY_RETRIES) return { ok: false, reason: 'busy' };
        await wait(BUSY_PAUSE_MS);
      }
    }
  }

  return {
    get: (plugin, key) => use(plugin, (store) => ({ ok: true, value: store.get(key) })),
    set: (plugin, key, value, quota) =>
      use(plugin, (store) =>
        store.set(key, value, quota) ? { ok: true, value: undefined } : { ok: false, reason: 'quota' },
      ),
    delete: (plugin, key) => use(plugin, (store) => ({ ok: true, value: store.delete(key) })),
    keys: (plugin, prefix, most) => use(plugin, (store) => ({ ok: true, value: store.keys(prefix, most) })),
    close() {
      closed = true;
      for (const store of stores.values()) store.then((one) => one.close()).catch(() => undefined);
      stores.clear();
    },
  };
}

async function openFile(dir: string, plugin: string): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // Loaded when first needed: most hosts have no plugin that stores anything.
  const { DatabaseSync } = await import('node:sqlite');
  const database: DatabaseSync = new DatabaseSync(join(dir, fileName(plugin)), { timeout: 0 });
  try {
    return openStore(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Readable, legal everywhere, and never the same for two names. */
function fileName(plugin: string): string {
  const readable = plugin
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .slice(0, 60);
  return `${readable}-${createHash('sha256').update(plugin).digest('hex').slice(0, 16)}.sqlite`;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

function isBusy(error: unknown): boolean {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR' || typeof error !== 'object' || error === null) return false;
  if (!('errcode' in error) || typeof error.errcode !== 'number') return false;
  // The low byte is the primary code.
  return [SQLITE_BUSY, SQLITE_LOCKED].includes(error.errcode & 0xff);
}
