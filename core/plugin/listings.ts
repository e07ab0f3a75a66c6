import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../schema/pointer.ts';
import { readVersion } from '../version.ts';
import { versionOf } from './content-hash.ts';
import type { ListedPlugin } from './list-plugin.ts';

/** Raised when what is kept, or how a schema.json is read, changes within a version. */
const FORMAT = 1;

interface Kept {
  readonly stamp: string;
  readonly listed: ListedPlugin;
}

/**
 * What was listed of a folder's plugins the last time, so that a schema.json that has not been touched is not read again.
 * The file is the host's own, lies where no plugin may write, and is worthless to any other version; deleting it does no harm.
 */
export class Listings {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, Kept>;
  readonly #now = new Map<string, Kept>();

  private constructor(file: string, known: ReadonlyMap<string, Kept>) {
    this.#file = file;
    this.#known = known;
  }

  /** @param root the folder of plugins, absolute. */
  static async open(cacheDir: string, root: string): Promise<Listings> {
    const file = path.join(cacheDir, `listings-${versionOf(root)}.json`);
    return new Listings(file, await readKept(file));
  }

  get(dir: string, stamp: string): ListedPlugin | undefined {
    const kept = this.#known.get(dir);
    return kept?.stamp === stamp ? kept.listed : undefined;
  }

  set(dir: string, stamp: string, listed: ListedPlugin): void {
    this.#now.set(dir, { stamp, listed });
  }

  /** Keeps what was set. A disk that can't be written costs time at the next start, and nothing else. */
  async save(): Promise<void> {
    if (this.#isSame()) return;
    const temporary = `${this.#file}.${randomUUID()}.tmp`;
    try {
      await mkdir(path.dirname(this.#file), { recursive: true });
      await writeFile(temporary, JSON.stringify({ key: keyOf(), plugins: [...this.#now] }), { mode: 0o600 });
      await rename(temporary, this.#file);
    } catch {
      await unlink(temporary).catch(() => undefined);
    }
  }

  #isSame(): boolean {
    if (this.#known.size !== this.#now.size) return false;
    return [...this.#now].every(([dir, { stamp }]) => this.#known.get(dir)?.stamp === stamp);
  }
}

function keyOf(): string {
  return `${FORMAT} ${readVersion()} ${process.version}`;
}

async function readKept(file: string): Promise<ReadonlyMap<string, Kept>> {
  try {
    const read: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isRecord(read) || read.key !== keyOf() || !Array.isArray(read.plugins)) return new Map();
    // Written by this very version, as the key says.
    return new Map(read.plugins as [string, Kept][]);
  } catch {
    return new Map();
  }
}
