import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

/** Watches of one plugin's packages: each costs the system one, and large packages have hundreds of files. */
const MAX_FILES = 256;

/** Watches the files of packages that plugins have bundled, which lie outside what the root's watcher sees. */
export class PackageWatcher {
  readonly #owners = new Map<string, Set<string>>();
  readonly #files = new Map<string, readonly string[]>();
  readonly #changed: (dir: string) => void;
  readonly #failed: (error: unknown) => void;
  #watcher: FSWatcher | undefined;

  /** `changed` gets the plugin directory; `failed` whatever the watcher complains about. */
  constructor(changed: (dir: string) => void, failed: (error: unknown) => void) {
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Watches what is followed; until then it is only kept in mind. */
  open(): void {
    this.#watcher = watch([...this.#owners.keys()], { ignoreInitial: true, followSymlinks: false });
    this.#watcher.on('all', (_event, file) => {
      for (const dir of this.#owners.get(path.resolve(file)) ?? []) this.#changed(dir);
    });
    this.#watcher.on('error', this.#failed);
  }

  /** From now on these are the plugin's files. */
  follow(dir: string, files: readonly string[]): void {
    const next = files.slice(0, MAX_FILES);
    const old = this.#files.get(dir) ?? [];
    for (const file of next) this.#add(file, dir);
    const kept = new Set(next);
    for (const file of old) if (!kept.has(file)) this.#remove(file, dir);
    if (next.length > 0) this.#files.set(dir, next);
    else this.#files.delete(dir);
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }

  #add(file: string, dir: string): void {
    const owners = this.#owners.get(file);
    if (owners !== undefined) owners.add(dir);
    else {
      this.#owners.set(file, new Set([dir]));
      this.#watcher?.add(file);
    }
  }

  #remove(file: string, dir: string): void {
    const owners = this.#owners.get(file);
    owners?.delete(dir);
    if (owners?.size !== 0) return;
    this.#owners.delete(file);
    this.#watcher?.unwatch(file);
  }
}
