import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../replace-file.ts';
import { isRecord } from '../schema/pointer.ts';
import { readVersion } from '../version.ts';
import { versionOf } from './content-hash.ts';
import type { ListedPlugin } from './list-plugin.ts';

/** Raised when what is kept, or how a schema.json is read, changes within a version. */
const FORMAT = 3;
/** Plugins that are written in one go: the text of ten thousand at once is tens of megabytes. */
const WRITTEN_AT_ONCE = 200;

/**
 * What was listed of a folder's plugins the last time, so that a schema.json that has not been touched is not read again.
 * The file is the host's own, lies where no plugin may write, and is worthless to any other version; deleting it does no harm.
 */
export class Listings {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, ListedPlugin>;
  readonly #now = new Map<string, ListedPlugin>();

  private constructor(file: string, known: ReadonlyMap<string, ListedPlugin>) {
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
    return kept?.stamp === stamp ? kept : undefined;
  }

  set(dir: string, listed: ListedPlugin): void {
    this.#now.set(dir, listed);
  }

  /** Keeps what was set. A disk that can't be written costs time at the next start, and nothing else. */
  async save(): Promise<void> {
    if (this.#isSame()) return;
    try {
      await mkdir(path.dirname(this.#file), { recursive: true });
      await replaceFile(this.#file, this.#pieces(), { mode: 0o600 });
    } catch {
      // All is read again at the next start.
    }
  }

  /** A line for the key, and one for each plugin. */
  *#pieces(): Generator<string> {
    let lines = [JSON.stringify({ key: keyOf() })];
    for (const plugin of this.#now) {
      lines.push(JSON.stringify(plugin));
      if (lines.length < WRITTEN_AT_ONCE) continue;
      yield `${lines.join('\n')}\n`;
      lines = [];
    }
    yield lines.join('\n');
  }

  #isSame(): boolean {
    if (this.#known.size !== this.#now.size) return false;
    return [...this.#now].every(([dir, { stamp }]) => this.#known.get(dir)?.stamp === stamp);
  }
}

function keyOf(): string {
  return `${FORMAT} ${readVersion()} ${process.version}`;
}

async function readKept(file: string): Promise<ReadonlyMap<string, ListedPlugin>> {
  try {
    const [key = '', ...plugins] = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const head: unknown = JSON.parse(key);
    if (!isRecord(head) || head.key !== keyOf()) return new Map();
    const kept = new Map<string, ListedPlugin>();
    for (const line of plugins) {
      // Written by this very version, as the key says.
      const [dir, plugin] = JSON.parse(line) as [string, ListedPlugin];
      kept.set(dir, plugin);
    }
    return kept;
  } catch {
    return new Map();
  }
}
