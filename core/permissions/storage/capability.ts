import { type Answer, denied, done, failed, type RecordUse } from '../outcome.ts';
import { jsonOf, optionalTextOf, type Params, textOf } from '../params.ts';
import { formatSize, parseSize } from '../size.ts';
import type { Storage, Stored } from './storage.ts';

export interface StorageServices {
  readonly plugin: string;
  /** Bytes that are granted. */
  readonly quota: number;
  /** Bytes that schema.json asks for. */
  readonly requested: number;
  readonly storage: Storage | undefined;
  readonly record: RecordUse;
}

const LONGEST_KEY = 512;
const LARGEST_VALUE = 1_048_576;
const MOST_KEYS = 10_000;
/** What a denial suggests where schema.json names no size. */
const SUGGESTED_QUOTA = '1MB';

/** `storage.get`, `set`, `delete`, `keys`. */
export async function useStorage(services: StorageServices, method: string, params: Params): Promise<Answer> {
  const { plugin, quota, storage, record } = services;
  if (quota === 0) {
    const requested = services.requested > 0;
    const target = requested ? writtenSize(services.requested) : SUGGESTED_QUOTA;
    record({ capability: 'storage', target, allowed: false });
    const reason = requested ? 'no grant covers it.' : 'the plugin did not ask for it.';
    return denied({ capability: 'storage', target, reason, requested, grantable: true });
  }
  if (!storage) return failed('Error', 'this host keeps no storage', 'storage_unavailable');
  record({ capability: 'storage', target: writtenSize(quota), allowed: true });
  if (method === 'storage.keys') {
    const prefix = optionalTextOf(params, 'prefix', LONGEST_KEY) ?? '';
    return finish(await storage.keys(plugin, prefix, MOST_KEYS), services, (keys) => keys);
  }
  const key = textOf(params, 'key', LONGEST_KEY);
  if (key === '' || !key.isWellFormed() || key.includes('\0')) {
    return failed('TypeError', 'a key must be 1 to 512 characters of text');
  }
  if (method === 'storage.get') {
    return finish(await storage.get(plugin, key), services, (json) =>
      json === undefined ? null : JSON.parse(json),
    );
  }
  if (method === 'storage.delete') return finish(await storage.delete(plugin, key), services, (gone) => gone);
  const json = JSON.stringify(jsonOf(params, 'value') ?? null);
  if (Buffer.byteLength(json) > LARGEST_VALUE) {
    return failed(
      'QuotaExceededError',
      `a value may have at most ${formatSize(LARGEST_VALUE)}`,
      'quota_exceeded',
    );
  }
  return finish(await storage.set(plugin, key, json, quota), services, () => null);
}

function finish<Value>(
  stored: Stored<Value>,
  services: StorageServices,
  shape: (value: Value) => unknown,
): Answer {
  if (stored.ok) return done(shape(stored.value));
  if (stored.reason === 'quota') {
    const size = formatSize(services.quota);
    return failed(
      'QuotaExceededError',
      `the plugin's storage of ${size} is full; delete something`,
      'quota_exceeded',
    );
  }
  const said = stored.reason === 'busy' ? 'is busy; try again' : 'can not be used now';
  return failed('Error', `the plugin's storage ${said}`, `storage_${stored.reason}`);
}

/** A size in the form of a grant. */
function writtenSize(quota: number): string {
  const written = formatSize(quota).replace(' ', '');
  return parseSize(written) === quota ? written : String(quota);
}
