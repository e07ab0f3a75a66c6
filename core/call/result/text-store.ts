import { randomBytes } from 'node:crypto';

export interface TextStoreOptions {
  /** How long a text is kept after it was stored or last read, milliseconds. @defaultValue 600000 */
  readonly ttlMs?: number;
  /** Characters kept in all; the texts read longest ago make room. @defaultValue 16777216 */
  readonly maxChars?: number;
  /** Characters kept for one session. @defaultValue half of `maxChars` */
  readonly maxSessionChars?: number;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

interface Entry {
  readonly text: string;
  readonly session: string | undefined;
  expires: number;
}

const HANDLE_BYTES = 16;

/** The texts behind `read_more`: bounded in size and time, each under a handle that only its own session can use. */
export interface TextStore {
  /** Keeps a text; undefined when it is too large to be kept at all. */
  put(text: string, session: string | undefined): string | undefined;
  /** Another session's handle, an expired one and a made-up one are the same: undefined. */
  get(handle: string, session: string | undefined): string | undefined;
}

export function createTextStore(options: TextStoreOptions = {}): TextStore {
  return new BoundedTextStore(options);
}

class BoundedTextStore implements TextStore {
  /** Oldest first: a read moves its entry to the end. */
  readonly #entries = new Map<string, Entry>();
  readonly #ttlMs: number;
  readonly #maxChars: number;
  readonly #maxSessionChars: number;
  readonly #now: () => number;

  constructor({ ttlMs = 600_000, maxChars = 16 * 1024 * 1024, maxSessionChars, now }: TextStoreOptions) {
    this.#ttlMs = ttlMs;
    this.#maxChars = maxChars;
    this.#maxSessionChars = maxSessionChars ?? Math.floor(maxChars / 2);
    this.#now = now ?? (() => performance.now());
  }

  put(text: string, session: string | undefined): string | undefined {
    if (text.length > Math.min(this.#maxChars, this.#maxSessionChars)) return undefined;
    this.#dropExpired();
    this.#makeRoom(text.length, this.#maxSessionChars, (entry) => entry.session === session);
    this.#makeRoom(text.length, this.#maxChars, () => true);
    const handle = `rm_${randomBytes(HANDLE_BYTES).toString('base64url')}`;
    this.#entries.set(handle, { text, session, expires: this.#now() + this.#ttlMs });
    return handle;
  }

  get(handle: string, session: string | undefined): string | undefined {
    this.#dropExpired();
    const entry = this.#entries.get(handle);
    if (entry === undefined || entry.session !== session) return undefined;
    entry.expires = this.#now() + this.#ttlMs;
    this.#entries.delete(handle);
    this.#entries.set(handle, entry);
    return entry.text;
  }

  // Every touch moves an entry to the end, so expiry times rise along the map.
  #dropExpired(): void {
    const now = this.#now();
    for (const [handle, entry] of this.#entries) {
      if (entry.expires > now) return;
      this.#entries.delete(handle);
    }
  }

  #makeRoom(wanted: number, limit: number, counts: (entry: Entry) => boolean): void {
    const counted = [...this.#entries].filter(([, entry]) => counts(entry));
    let used = counted.reduce((sum, [, entry]) => sum + entry.text.length, 0);
    for (const [handle, entry] of counted) {
      if (used + wanted <= limit) return;
      this.#entries.delete(handle);
      used -= entry.text.length;
    }
  }
}
