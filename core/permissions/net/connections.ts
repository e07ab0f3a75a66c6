import type { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { PinnedAddress } from './resolve.ts';

const MOST_POOLS = 32;
const MOST_SOCKETS_PER_POOL = 6;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 2_000;

/** What a request needs of undici's Pool, so that recorded answers can stand in for a server. */
export interface RequestPool {
  request(options: Omit<Dispatcher.RequestOptions, 'origin'>): Promise<PoolResponse>;
}

export interface PoolResponse {
  readonly statusCode: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable & { dump(options?: { limit: number }): Promise<unknown> };
}

/**
 * Connections to addresses that were checked, kept per origin *and* address list: a socket is never reused for
 * another resolution of the same name, and the name is never resolved a second time between check and connect.
 */
export interface Connections {
  acquire(origin: string, addresses: readonly PinnedAddress[]): Promise<RequestPool>;
  /** Ends every socket at once. */
  close(): Promise<void>;
}

/** To be made before the first call that may connect: what speaks HTTP is large, and loads from here on. */
export function createConnections(options: { readonly headerBytes: number }): Connections {
  const client = import('undici');
  // Whoever acquires hears that it can't be loaded; until then nobody listens, which would end the process.
  client.catch(() => undefined);
  const pools = new Map<string, Pool>();

  function evict(): void {
    for (const [key, pool] of pools) {
      if (pools.size < MOST_POOLS) return;
      pools.delete(key);
      // Lets requests in flight end, then closes.
      pool.close().catch(() => undefined);
    }
  }

  return {
    async acquire(origin, addresses) {
      const { Pool } = await client;
      const key = [origin, ...addresses.map((entry) => entry.address)].join(' ');
      const known = pools.get(key);
      if (known) return known;
      evict();
      const pool = new Pool(origin, {
        connections: MOST_SOCKETS_PER_POOL,
        pipelining: 1,
        allowH2: false,
        maxHeaderSize: options.headerBytes,
        headersTimeout: SILENCE_TIMEOUT_MS,
        bodyTimeout: SILENCE_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        connect: { timeout: CONNECT_TIMEOUT_MS, lookup: pinnedLookup(addresses) },
      });
      pools.set(key, pool);
      return pool;
    },
    async close() {
      const closing = [...pools.values()].map((pool) => pool.destroy().catch(() => undefined));
      pools.clear();
      await Promise.all(closing);
    },
  };
}

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** What `net.connect` asks instead of DNS. */
function pinnedLookup(addresses: readonly PinnedAddress[]) {
  return (
    _hostname: string,
    options: { readonly all?: boolean | undefined },
    callback: LookupCallback,
  ): void => {
    const first = addresses[0];
    if (!first) callback(new Error('no address'), '');
    else if (options.all)
      callback(
        null,
        addresses.map((entry) => ({ ...entry })),
      );
    else callback(null, first.address, first.family);
  };
}
