import path from 'node:path';
import type { Catalog, SourceState, SourceUpdate } from '../catalog/catalog.ts';
import type { Tool } from '../catalog/tool.ts';
import { discover, type FoundPlugin, isPluginBelow } from './discover.ts';
import { explainWatchFailure } from './explain-watch-failure.ts';
import { inBatches } from './in-batches.ts';
import { createDeferredTool, listPlugin, stampOf } from './list-plugin.ts';
import { Listings } from './listings.ts';
import { isMarker } from './markers.ts';
import { PackageWatcher } from './package-watcher.ts';
import { type BuilderOptions, PluginBuilder } from './plugin-builder.ts';
import { PluginFollower } from './plugin-follower.ts';
import type { LoadProblem } from './problem.ts';
import { RootIdentity } from './root-identity.ts';
import { RootWatcher } from './root-watcher.ts';

export interface PluginRootOptions extends BuilderOptions {
  /** Absolute. */
  readonly dir: string;
  readonly catalog: Catalog;
  /** With more plugins than this, one's code is loaded at its first call. @defaultValue never */
  readonly deferAbove?: number;
  /** Told of each tool that is listed without its code. */
  readonly adopt?: (tool: Tool) => void;
  /** How long a directory must be left alone before it is read, milliseconds. @defaultValue 40 */
  readonly quietMs?: number;
  /** How far the first load is, after each plugin. */
  readonly onLoading?: (done: number, total: number, name: string) => void;
  /** Trouble of the root itself: a folder that can't be read, a watcher that fails. */
  readonly onProblem?: (problem: LoadProblem) => void;
}

/** An event opens a window this long, milliseconds; more events in it make it begin anew. */
const QUIET_MS = 40;
/** A folder event opens a window this long before the root is searched again, milliseconds. */
const RESCAN_MS = 40;
/** How often to look when nothing tells of changes: no watcher, no root yet, a package that isn't installed. */
const POLL_MS = 2_000;
/** Plugins that are read at the same time at first. */
const FIRST_LOADS = 64;

/** One directory of plugins: loads what is there, and follows what changes. */
export class PluginRoot {
  readonly #options: PluginRootOptions;
  readonly #followers = new Map<string, PluginFollower>();
  readonly #told = new Set<string>();
  readonly #watcher: RootWatcher;
  readonly #packages: PackageWatcher;
  readonly #builder: PluginBuilder;
  readonly #identity: RootIdentity;
  #rescanTimer: NodeJS.Timeout | undefined;
  #rescanning: Promise<void> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;
  #isBlind = false;
  #closed = false;

  constructor(options: PluginRootOptions) {
    this.#options = options;
    this.#watcher = new RootWatcher({
      dir: options.dir,
      touched: (file) => this.#touch(file),
      failed: (error) => this.#watchFailed(error),
    });
    this.#packages = new PackageWatcher(
      (dir) => this.#followers.get(dir)?.hint('force'),
      (error) => this.#watchFailed(error),
    );
    this.#builder = new PluginBuilder(options, this.#watcher, this.#packages);
    this.#identity = new RootIdentity(options.dir);
  }

  /** Loads every plugin below the root; the caller applies the updates. */
  async load(): Promise<SourceUpdate[]> {
    const found = await this.#search();
    const { trust, deferAbove = Number.POSITIVE_INFINITY } = this.#options;
    // A stranger's code must be looked at before anything of it is listed.
    const isDeferring = trust === 'declared' && found.length > deferAbove;
    let done = 0;
    const { onLoading, cacheDir, dir } = this.#options;
    onLoading?.(0, found.length, '');
    const known = isDeferring && cacheDir !== undefined ? await Listings.open(cacheDir, dir) : undefined;
    const updates = await inBatches(found, FIRST_LOADS, async (plugin) => {
      const update = await (isDeferring ? this.#listFirst(plugin, known) : this.#loadFirst(plugin));
      done += 1;
      onLoading?.(done, found.length, plugin.name);
      return update;
    });
    this.#saving = known?.save();
    return updates;
  }

  async #loadFirst({ dir, name }: FoundPlugin): Promise<SourceUpdate> {
    return this.#update(dir, await this.#follow(dir, name).load());
  }

  async #listFirst(plugin: FoundPlugin, known: Listings | undefined): Promise<SourceUpdate> {
    const listed = listPlugin(plugin, known);
    if (listed === undefined) return this.#loadFirst(plugin);
    const { dir, name } = plugin;
    const follower = this.#follow(dir, name);
    const { limitsOf, adopt } = this.#options;
    const tool = createDeferredTool(listed, limitsOf(listed.manifest), () => follower.demand());
    adopt?.(tool);
    const state = { kind: 'good', tool, warnings: listed.warnings } as const;
    follower.defer(state, listed.stamp);
    this.#watcher.list(dir);
    return this.#update(dir, state);
  }

  /** From now on changes are followed. Resolves when the watcher stands. */
  async follow(): Promise<void> {
    if (this.#closed) return;
    this.#packages.open();
    await this.#identity.note();
    if (this.#closed) return;
    this.#pollTimer = setInterval(() => void this.#poll(), POLL_MS).unref();
    await this.#watcher.open();
    // What changed between loading and now left no event.
    for (const follower of this.#followers.values()) follower.hint();
    this.#rescanSoon();
  }

  /** Resolves once nothing is waiting to be read or built. */
  async settled(): Promise<void> {
    const isBusy = () =>
      this.#rescanTimer !== undefined ||
      this.#rescanning !== undefined ||
      [...this.#followers.values()].some((follower) => follower.isBusy);
    while (!this.#closed && isBusy()) await new Promise((resolve) => setTimeout(resolve, RESCAN_MS / 2));
  }

  /** Asks anew whether each plugin may serve: what was consented to has changed. */
  recheck(): void {
    for (const follower of this.#followers.values()) follower.hint('force');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rescanTimer);
    clearInterval(this.#pollTimer);
    this.#rescanTimer = undefined;
    await Promise.all([this.#saving, this.#watcher.close(), this.#packages.close(), this.#rescanning]);
    await Promise.all([...this.#followers.values()].map((follower) => follower.close()));
  }

  #touch(file: string): void {
    const follower = this.#followerOf(file);
    if (follower !== undefined) follower.hint('changed');
    else this.#hintBelow(file);
    // A plugin has come, or a folder above plugins has come, gone or been renamed.
    if (follower === undefined || isMarker(path.basename(file))) this.#rescanSoon();
  }

  /** Another folder may have taken its place, with other plugins under the same names. */
  #hintBelow(folder: string): void {
    if (folder === this.#options.dir) return;
    for (const [dir, follower] of this.#followers)
      if (dir.startsWith(`${folder}${path.sep}`)) follower.hint('changed');
  }

  #followerOf(file: string): PluginFollower | undefined {
    for (let dir = file; dir.length > this.#options.dir.length; dir = path.dirname(dir)) {
      const follower = this.#followers.get(dir);
      if (follower !== undefined) return follower;
    }
    return undefined;
  }

  #rescanSoon(): void {
    if (this.#closed) return;
    this.#rescanTimer ??= setTimeout(() => {
      this.#rescanTimer = undefined;
      const before = this.#rescanning ?? Promise.resolve();
      const rescan = before
        .then(() => this.#rescan())
        .finally(() => {
          if (this.#rescanning === rescan) this.#rescanning = undefined;
        });
      this.#rescanning = rescan;
    }, RESCAN_MS);
  }

  async #rescan(): Promise<void> {
    if (this.#closed) return;
    const found = await this.#search();
    const seen = new Set(found.map(({ dir }) => dir));
    for (const plugin of found) {
      const follower = this.#followers.get(plugin.dir);
      if (follower === undefined) this.#follow(plugin.dir, plugin.name).hint();
      else if (this.#isBlind) hintIfTouched(follower, plugin);
    }
    for (const [dir, follower] of this.#followers) if (!seen.has(dir)) follower.hint('changed');
  }

  /** Without a watcher everything is looked at; with one only what it can't see. */
  async #poll(): Promise<void> {
    for (const dir of this.#builder.lacking) this.#followers.get(dir)?.hint('force');
    const sighting = await this.#identity.look();
    if (sighting === 'missing') return;
    if (sighting === 'vanished') return this.#rescanSoon();
    // A watcher goes with the directory that it was made for.
    if (sighting !== 'same') await this.#watcher.reopen();
    else if (!this.#isBlind) return;
    for (const follower of this.#followers.values())
      follower.hint(sighting === 'replaced' ? 'changed' : 'look');
    this.#rescanSoon();
  }

  async #search() {
    const { found, problems } = await discover(this.#options.dir);
    const messages = new Set(problems.map(({ dir, message }) => `${dir}: ${message}`));
    for (const message of messages) if (!this.#told.has(message)) this.#options.onProblem?.({ message });
    this.#told.clear();
    for (const message of messages) this.#told.add(message);
    return found;
  }

  #follow(dir: string, name: string): PluginFollower {
    const follower = new PluginFollower({
      dir,
      name,
      build: (serving, contents) => this.#builder.build({ dir, name, contents }, serving),
      isPlugin: () => isPluginBelow(this.#options.dir, dir),
      publish: (state) => this.#publish(dir, state),
      quietMs: this.#options.quietMs ?? QUIET_MS,
    });
    this.#followers.set(dir, follower);
    return follower;
  }

  #publish(dir: string, state: SourceState): void {
    if (this.#closed) return;
    if (state.kind === 'gone') {
      void this.#followers.get(dir)?.close();
      this.#followers.delete(dir);
      this.#builder.forget(dir);
      // What it held back may be plugins now: folders inside it.
      this.#rescanSoon();
    }
    if (state.kind !== 'gone' || this.#options.catalog.has(dir))
      this.#options.catalog.apply([this.#update(dir, state)]);
  }

  #update(dir: string, state: SourceState): SourceUpdate {
    const loadMs = this.#builder.loadMsOf(dir);
    return { source: dir, origin: 'plugin', stranger: this.#options.trust === 'granted', state, loadMs };
  }

  #watchFailed(error: unknown): void {
    // A root that is followed keeps the process alive; now this does, in the place of a watch that may be missing.
    this.#pollTimer?.ref();
    const message = explainWatchFailure(this.#options.dir, error, POLL_MS);
    if (message !== undefined && !this.#isBlind) this.#options.onProblem?.({ message });
    this.#isBlind = true;
  }
}

/** A look at what is only listed would load it; its schema.json tells whether it must be. */
function hintIfTouched(follower: PluginFollower, plugin: FoundPlugin): void {
  const { listedAs } = follower;
  if (listedAs !== undefined && listedAs !== stampOf(plugin)) follower.hint('changed');
}
