import { type FSWatcher as FolderWatcher, watch as watchFolder } from 'node:fs';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { isUnread } from './read-directory.ts';

export interface RootWatcherOptions {
  /** Absolute. */
  readonly dir: string;
  /** Something at this path has come, changed or gone. */
  readonly touched: (file: string) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Follows a directory of plugins. A plugin that was only listed has one watch on its folder and nothing more: with
 * everything that chokidar keeps of a folder, ten thousand of them would take as much memory as the rest of the host.
 */
export class RootWatcher {
  readonly #options: RootWatcherOptions;
  /** Folders that chokidar is to leave alone. */
  readonly #listed = new Set<string>();
  readonly #folders = new Map<string, FolderWatcher>();
  #whole: FSWatcher | undefined;
  #closed = false;

  constructor(options: RootWatcherOptions) {
    this.#options = options;
  }

  /** Resolves when the watches stand, or have failed. */
  async open(): Promise<void> {
    if (this.#closed) return;
    for (const dir of this.#listed) this.#watchFolder(dir);
    const { dir, touched, failed } = this.#options;
    const ignored = (file: string) => this.#listed.has(file) || this.#isIgnored(file);
    // Atomic saves are no matter of single events here: a directory is read as a whole anyway.
    const watcher = watch(dir, { ignored, ignoreInitial: true, followSymlinks: false, atomic: false });
    this.#whole = watcher;
    watcher.on('all', (_event, file) => touched(path.resolve(file)));
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      // A watcher that failed may never be ready.
      watcher.on('error', (error) => {
        failed(error);
        resolve();
      });
    });
  }

  /** Anew, for the directory is another one under the same name. */
  async reopen(): Promise<void> {
    await this.#release();
    await this.open();
  }

  /** Of this plugin only the listing is known. To be said before `open`. */
  list(dir: string): void {
    this.#listed.add(dir);
  }

  /** It is read whole from now on, and followed whole. */
  wake(dir: string): void {
    // Its folder's own watch stays: chokidar takes a moment to see everything.
    if (this.#listed.delete(dir)) this.#whole?.add(dir);
  }

  forget(dir: string): void {
    this.#listed.delete(dir);
    this.#folders.get(dir)?.close();
    this.#folders.delete(dir);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#release();
  }

  async #release(): Promise<void> {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
    await this.#whole?.close();
  }

  #watchFolder(dir: string): void {
    const { touched, failed } = this.#options;
    try {
      // The root's watch keeps the process alive, as long as it is to be.
      const watcher = watchFolder(dir, { persistent: false }, (_event, name) => {
        const file = name === null ? dir : path.join(dir, name);
        if (!this.#isIgnored(file)) touched(file);
      });
      watcher.on('error', failed);
      this.#folders.set(dir, watcher);
    } catch (error) {
      // One that has gone meanwhile is found out by those who look for it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failed(error); // node:fs throws these
    }
  }

  #isIgnored(file: string): boolean {
    const relative = path.relative(this.#options.dir, file);
    return relative !== '' && relative.split(path.sep).some((part) => part !== '..' && isUnread(part));
  }
}
