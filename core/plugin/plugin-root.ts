import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Catalog, SourceState, SourceUpdate } from '../catalog/catalog.ts';
import type { Tool } from '../catalog/tool.ts';
import { discover, isSkipped } from './discover.ts';
import { type LoadOptions, loadPlugin, type PluginVersion, type Trust } from './load-plugin.ts';
import type { LoadProblem } from './problem.ts';
import { readDirectory } from './read-directory.ts';
import { TYPES_FILE } from './types.ts';

export interface PluginRootOptions {
  /** Absolute. */
  readonly dir: string;
  readonly trust: Trust;
  readonly catalog: Catalog;
  readonly limitsOf: LoadOptions['limitsOf'];
  readonly probe: LoadOptions['probe'];
  readonly makeTool: (plugin: PluginVersion) => Tool;
  /** May this version serve? */
  readonly admit?: (plugin: PluginVersion) => Promise<Admission>;
  /** Trouble of the root itself: a folder that can't be read, a watcher that fails. */
  readonly onProblem?: (problem: LoadProblem) => void;
}

export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly reason: string };

interface Known {
  /** Hash of the directory that was last loaded. */
  hash: string | undefined;
  outside: readonly string[];
}

/** An event opens a window this long, milliseconds; more events in it make it begin anew. */
const QUIET_MS = 40;
/** How long a broken or missing directory is given before that is believed, milliseconds. */
const GRACE_MS = 150;
const MAX_BUILDS = 4;
const MAX_WATCHED_PACKAGE_FILES = 256;

/** One directory of plugins: loads what is there, and follows what changes. */
export class PluginRoot {
  readonly #options: PluginRootOptions;
  readonly #known = new Map<string, Known>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  readonly #owners = new Map<string, Set<string>>();
  #watcher: FSWatcher | undefined;
  #packages: FSWatcher | undefined;
  #waiting: (() => void)[] = [];
  #builds = 0;
  #closed = false;

  constructor(options: PluginRootOptions) {
    this.#options = options;
  }

  /** Loads every plugin below the root; the caller applies the updates. */
  async load(): Promise<SourceUpdate[]> {
    const { found, problems } = await discover(this.#options.dir);
    for (const { dir, message } of problems) this.#options.onProblem?.({ message: `${dir}: ${message}` });
    return Promise.all(
      found.map(async ({ dir }) => {
        const reading = await readDirectory(dir);
        const known: Known = { hash: reading?.hash, outside: [] };
        this.#known.set(dir, known);
        return this.#update(dir, await this.#build(dir, known));
      }),
    );
  }

  /** From now on changes are followed. Resolves when the watcher stands. */
  async follow(): Promise<void> {
    const ignored = (file: string) => this.#isIgnored(file);
    this.#watcher = watch(this.#options.dir, { ignored, ignoreInitial: true, followSymlinks: false });
    this.#watcher.on('all', (_event, file) => this.#touch(path.resolve(file)));
    this.#watcher.on('error', (error) => this.#watchFailed(error));
    this.#packages = watch([], { ignoreInitial: true, followSymlinks: false });
    this.#packages.on('all', (_event, file) => {
      for (const dir of this.#owners.get(file) ?? []) this.#schedule(dir, true);
    });
    this.#packages.on('error', (error) => this.#watchFailed(error));
    for (const [dir, known] of this.#known) this.#watchPackages(dir, known);
    await new Promise<void>((resolve) => this.#watcher?.once('ready', resolve));
    // What changed between loading and now left no event.
    for (const { dir } of (await discover(this.#options.dir)).found) this.#schedule(dir, false);
    for (const dir of this.#known.keys()) this.#schedule(dir, false);
  }

  /** Resolves once nothing is waiting to be read or built. */
  async settled(): Promise<void> {
    while (this.#timers.size > 0 || this.#running.size > 0) {
      await Promise.race([
        ...this.#running.values(),
        new Promise((resolve) => setTimeout(resolve, QUIET_MS)),
      ]);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all([this.#watcher?.close(), this.#packages?.close()]);
    await Promise.all(this.#running.values());
  }

  #isIgnored(file: string): boolean {
    const relative = path.relative(this.#options.dir, file);
    return (
      relative.split(path.sep).some((part) => part !== '..' && isSkipped(part) && part !== '') ||
      path.basename(file) === TYPES_FILE
    );
  }

  #touch(file: string): void {
    void this.#ownerOf(file).then((dir) => {
      if (dir !== undefined) return this.#schedule(dir, false);
      // A folder above plugins has come, gone or been renamed.
      for (const known of this.#known.keys())
        if (known.startsWith(file + path.sep)) this.#schedule(known, false);
      return undefined;
    });
  }

  /** The plugin directory that a path belongs to: the first one on the way down from the root. */
  async #ownerOf(file: string): Promise<string | undefined> {
    let dir = this.#options.dir;
    for (const part of path.relative(dir, file).split(path.sep)) {
      dir = path.join(dir, part);
      if (part === '' || part === '..' || isSkipped(part)) return undefined;
      if (this.#known.has(dir) || (await exists(path.join(dir, 'schema.json')))) return dir;
    }
    return undefined;
  }

  #schedule(dir: string, force: boolean): void {
    if (this.#closed) return;
    if (force) {
      const known = this.#known.get(dir);
      if (known !== undefined) known.hash = undefined;
    }
    clearTimeout(this.#timers.get(dir));
    const fire = () => {
      this.#timers.delete(dir);
      if (this.#running.has(dir)) this.#again.add(dir);
      else this.#start(dir);
    };
    this.#timers.set(dir, setTimeout(fire, QUIET_MS));
  }

  #start(dir: string): void {
    const job = this.#refresh(dir)
      .catch((error: unknown) =>
        this.#options.onProblem?.({
          message: `${dir}: ${error instanceof Error ? error.message : 'it could not be loaded'}`,
        }),
      )
      .then(() => {
        this.#running.delete(dir);
        if (this.#again.delete(dir)) this.#start(dir);
      });
    this.#running.set(dir, job);
  }

  /** Reads until two readings agree, so that what is built was there as a whole. */
  async #refresh(dir: string): Promise<void> {
    for (let patience = 2; !this.#closed; ) {
      const reading = await readDirectory(dir);
      const isThere = reading !== undefined && (await exists(path.join(dir, 'schema.json')));
      if (!isThere) {
        if (patience-- > 0) {
          await pause(GRACE_MS);
          continue;
        }
        return this.#remove(dir);
      }
      const known = this.#known.get(dir) ?? { hash: undefined, outside: [] };
      if (known.hash === reading.hash) return;
      const state = await this.#build(dir, known);
      const after = await readDirectory(dir);
      if (after?.hash !== reading.hash) continue;
      if (state.kind === 'broken' && patience-- > 0) {
        // Half-written, perhaps: believe it only if it stays.
        await pause(GRACE_MS);
        continue;
      }
      if (this.#closed) return;
      known.hash = reading.hash;
      this.#known.set(dir, known);
      this.#watchPackages(dir, known);
      return this.#options.catalog.apply([this.#update(dir, state)]);
    }
  }

  #remove(dir: string): void {
    if (!this.#known.delete(dir)) return;
    this.#options.catalog.apply([this.#update(dir, { kind: 'gone' })]);
  }

  #update(dir: string, state: SourceState): SourceUpdate {
    return { source: dir, origin: 'plugin', state };
  }

  async #build(dir: string, known: Known): Promise<SourceState> {
    await this.#enter();
    try {
      return await this.#buildNow(dir, known);
    } catch (error) {
      // One directory that trips us up must not hide the others.
      const message = `it could not be loaded: ${error instanceof Error ? error.message : 'for an unknown reason'}`;
      return { kind: 'broken', name: this.#defaultName(dir), problems: [{ message }] };
    } finally {
      this.#builds -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #buildNow(dir: string, known: Known): Promise<SourceState> {
    const { trust, limitsOf, probe, makeTool, admit } = this.#options;
    const loaded = await loadPlugin({ dir, defaultName: this.#defaultName(dir), trust, limitsOf, probe });
    if (!loaded.ok) return { kind: 'broken', name: loaded.name, problems: loaded.problems };
    known.outside = loaded.plugin.outside;
    const admission = (await admit?.(loaded.plugin)) ?? { admitted: true };
    if (!admission.admitted)
      return { kind: 'held', name: loaded.plugin.manifest.name, problems: [{ message: admission.reason }] };
    return { kind: 'good', tool: makeTool(loaded.plugin), warnings: loaded.plugin.warnings };
  }

  /** Folders above a plugin are its group: `github.create_issue`. */
  #defaultName(dir: string): string {
    return path.relative(this.#options.dir, dir).split(path.sep).join('.');
  }

  async #enter(): Promise<void> {
    while (this.#builds >= MAX_BUILDS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#builds += 1;
  }

  #watchPackages(dir: string, known: Known): void {
    if (this.#packages === undefined) return;
    for (const file of known.outside.slice(0, MAX_WATCHED_PACKAGE_FILES)) {
      const owners = this.#owners.get(file);
      if (owners !== undefined) owners.add(dir);
      else {
        this.#owners.set(file, new Set([dir]));
        this.#packages.add(file);
      }
    }
  }

  #watchFailed(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException; // chokidar passes on what node:fs gave
    const hint =
      code === 'ENOSPC' ? ' Raise fs.inotify.max_user_watches (sysctl), or set "watch": false.' : '';
    this.#options.onProblem?.({ message: `watching ${this.#options.dir} failed: ${message}.${hint}` });
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
