import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Catalog, SourceState, SourceUpdate } from '../catalog/catalog.ts';
import type { Tool } from '../catalog/tool.ts';
import { BuildCache } from './build-cache.ts';
import { kindAt } from './code-only.ts';
import { discover, type FoundPlugin } from './discover.ts';
import { inBatches } from './in-batches.ts';
import { Limiter } from './limiter.ts';
import { createDeferredTool, listPlugin, stampOf } from './list-plugin.ts';
import { Listings } from './listings.ts';
import type { LoadOptions } from './load-options.ts';
import { loadVersion } from './load-version.ts';
import { isClosed, isMarker } from './markers.ts';
import type { AnyVersion } from './offer-version.ts';
import { PackageWatcher } from './package-watcher.ts';
import { type Built, PluginFollower, type Serving } from './plugin-follower.ts';
import type { Trust } from './plugin-version.ts';
import type { LoadProblem } from './problem.ts';
import { RootWatcher } from './root-watcher.ts';

export interface PluginRootOptions {
  /** Absolute. */
  readonly dir: string;
  readonly trust: Trust;
  readonly catalog: Catalog;
  readonly limitsOf: LoadOptions['limitsOf'];
  readonly probe: LoadOptions['probe'];
  readonly evaluate?: LoadOptions['evaluate'];
  readonly cacheDir?: LoadOptions['cacheDir'];
  readonly makeTool: (plugin: AnyVersion) => Tool;
  /** With more plugins than this, one's code is loaded at its first call. @defaultValue never */
  readonly deferAbove?: number;
  /** Told of each tool that is listed without its code. */
  readonly adopt?: (tool: Tool) => void;
  /** May this version serve? Asked after it was built and tried, before it takes the place of the old one. */
  readonly admit?: (plugin: AnyVersion) => Promise<Admission>;
  /** How long a directory must be left alone before it is read, milliseconds. @defaultValue 40 */
  readonly quietMs?: number;
  /** How far the first load is, after each plugin. */
  readonly onLoading?: (done: number, total: number, name: string) => void;
  /** Trouble of the root itself: a folder that can't be read, a watcher that fails. */
  readonly onProblem?: (problem: LoadProblem) => void;
}

export type Admission =
  | { readonly admitted: true }
  /** `diff`: what changed against what was consented to, for the operator to read. */
  | {
      readonly admitted: false;
      /** For the operator, with what changed against what was consented to; several lines. */
      readonly reason: string;
      /** Nobody consents to it any more: a version of it that serves ends too. */
      readonly withdrawn?: boolean;
    };

/** An event opens a window this long, milliseconds; more events in it make it begin anew. */
const QUIET_MS = 40;
/** A folder event opens a window this long before the root is searched again, milliseconds. */
const RESCAN_MS = 40;
/** How often to look when nothing tells of changes: no watcher, no root yet, a package that isn't installed. */
const POLL_MS = 2_000;
const MAX_BUILDS = 4;
/** Plugins that are read at the same time at first. */
const FIRST_LOADS = 64;

/** A plugin's directory as it is built. */
interface Place {
  readonly dir: string;
  readonly name: string;
  readonly contents: string | undefined;
}

/** One directory of plugins: loads what is there, and follows what changes. */
export class PluginRoot {
  readonly #options: PluginRootOptions;
  readonly #followers = new Map<string, PluginFollower>();
  readonly #builds = new Limiter(MAX_BUILDS);
  readonly #kept: BuildCache | undefined;
  readonly #told = new Set<string>();
  /** How long the newest build of each directory took, milliseconds. */
  readonly #loadMs = new Map<string, number>();
  /** Directories that lack a package, which may be installed where no watcher looks. */
  readonly #lacking = new Set<string>();
  /** Files of packages that were bundled before anything watched. */
  readonly #pendingPackages = new Map<string, readonly string[]>();
  readonly #watcher: RootWatcher;
  #packages: PackageWatcher | undefined;
  #rescanTimer: NodeJS.Timeout | undefined;
  #rescanning: Promise<void> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;
  #isBlind = false;
  #isMissing = false;
  /** Which directory has the root's name now. */
  #identity: string | undefined;
  #closed = false;

  constructor(options: PluginRootOptions) {
    this.#options = options;
    this.#kept = options.cacheDir === undefined ? undefined : new BuildCache(options.cacheDir);
    this.#watcher = new RootWatcher({
      dir: options.dir,
      touched: (file) => this.#touch(file),
      failed: (error) => this.#watchFailed(error),
    });
  }

  /** Loads every plugin below the root; the caller applies the updates. */
  async load(): Promise<SourceUpdate[]> {
    const found = await this.#search();
    const { trust, deferAbove = Number.POSITIVE_INFINITY } = this.#options;
    // A stranger's code must be looked at before anything of it is listed.
    const isDeferring = trust === 'declared' && found.length > deferAbove;
    let done = 0;
    const { onLoading } = this.#options;
    onLoading?.(0, found.length, '');
    if (!isDeferring)
      return inBatches(found, FIRST_LOADS, async (plugin) => {
        const update = await this.#loadFirst(plugin);
        done += 1;
        onLoading?.(done, found.length, plugin.name);
        return update;
      });
    const { cacheDir, dir } = this.#options;
    const known = cacheDir === undefined ? undefined : await Listings.open(cacheDir, dir);
    const updates = await inBatches(found, FIRST_LOADS, (plugin) => this.#listFirst(plugin, known));
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
    this.#packages = new PackageWatcher(
      (dir) => this.#followers.get(dir)?.hint('force'),
      (error) => this.#watchFailed(error),
    );
    for (const [dir, files] of this.#pendingPackages) this.#packages.follow(dir, files);
    this.#pendingPackages.clear();
    this.#identity = await identityOf(this.#options.dir).catch(() => undefined);
    if (this.#closed) return;
    this.#pollTimer = setInterval(() => this.#poll(), POLL_MS).unref();
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
    await Promise.all([this.#saving, this.#watcher.close(), this.#packages?.close(), this.#rescanning]);
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
  #poll(): void {
    for (const dir of this.#lacking) this.#followers.get(dir)?.hint('force');
    void identityOf(this.#options.dir).then(
      async (identity) => {
        const isAnother = identity !== (this.#identity ?? identity);
        this.#identity = identity;
        // A watcher goes with the directory that it was made for.
        if (this.#isMissing || isAnother) {
          this.#isMissing = false;
          await this.#watcher.reopen();
        } else if (!this.#isBlind) return;
        for (const follower of this.#followers.values()) follower.hint(isAnother ? 'changed' : 'look');
        this.#rescanSoon();
      },
      () => {
        if (!this.#isMissing) this.#rescanSoon();
        this.#isMissing = true;
      },
    );
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
      build: (serving, contents) =>
        this.#builds.run(() => this.#timedBuild({ dir, name, contents }, serving)),
      isPlugin: () => this.#isPlugin(dir),
      publish: (state) => this.#publish(dir, state),
      quietMs: this.#options.quietMs ?? QUIET_MS,
    });
    this.#followers.set(dir, follower);
    return follower;
  }

  /** Is it one by itself, and no folder above it? */
  async #isPlugin(dir: string): Promise<boolean> {
    if ((await kindAt(dir, await readdir(dir).catch(() => []))) === undefined) return false;
    for (
      let above = path.dirname(dir);
      above.length > this.#options.dir.length;
      above = path.dirname(above)
    ) {
      const kind = await kindAt(above, await readdir(above).catch(() => []));
      if (kind !== undefined && isClosed(kind)) return false;
    }
    return true;
  }

  #publish(dir: string, state: SourceState): void {
    if (this.#closed) return;
    if (state.kind === 'gone') {
      void this.#followers.get(dir)?.close();
      this.#followers.delete(dir);
      this.#lacking.delete(dir);
      this.#loadMs.delete(dir);
      this.#watcher.forget(dir);
      this.#packages?.follow(dir, []);
      // What it held back may be plugins now: folders inside it.
      this.#rescanSoon();
    }
    if (state.kind !== 'gone' || this.#options.catalog.has(dir))
      this.#options.catalog.apply([this.#update(dir, state)]);
  }

  #update(dir: string, state: SourceState): SourceUpdate {
    const loadMs = this.#loadMs.get(dir);
    return { source: dir, origin: 'plugin', stranger: this.#options.trust === 'granted', state, loadMs };
  }

  async #timedBuild(place: Place, serving: Serving | undefined): Promise<Built> {
    const { dir } = place;
    const began = performance.now();
    this.#watcher.wake(dir);
    try {
      return await this.#build(place, serving);
    } finally {
      this.#loadMs.set(dir, performance.now() - began);
    }
  }

  async #build({ dir, name: defaultName, contents }: Place, serving: Serving | undefined): Promise<Built> {
    const { trust, limitsOf, probe, evaluate, cacheDir, makeTool, admit } = this.#options;
    const loaded = await loadVersion({
      ...{ dir, defaultName, contents, trust, limitsOf, probe, evaluate, cacheDir },
      builds: this.#kept,
    });
    if (!loaded.ok) {
      if (loaded.lacksPackage) this.#lacking.add(dir);
      return { state: { kind: 'broken', name: loaded.name, of: loaded.kind, problems: loaded.problems } };
    }
    const { plugin } = loaded;
    this.#lacking.delete(dir);
    this.#watchPackages(dir, plugin.outside);
    const admission = (await admit?.(plugin)) ?? { admitted: true };
    if (!admission.admitted) {
      const { reason, withdrawn = false } = admission;
      const { name } = plugin.manifest;
      const of = 'offer' in plugin ? plugin.offer.kind : 'tool';
      return { state: { kind: 'held', name, of, problems: [{ message: reason }], withdrawn }, plugin };
    }
    // The same version is the same tool: a change in a note beside the code ends nothing.
    const tool = serving?.plugin.version === plugin.version ? serving.tool : makeTool(plugin);
    return { state: { kind: 'good', tool, warnings: plugin.warnings }, plugin };
  }

  #watchPackages(dir: string, files: readonly string[]): void {
    if (this.#packages !== undefined) this.#packages.follow(dir, files);
    else this.#pendingPackages.set(dir, files);
  }

  #watchFailed(error: unknown): void {
    // A root that is followed keeps the process alive; now this does, in the place of a watch that may be missing.
    this.#pollTimer?.ref();
    const { code, message } = error as NodeJS.ErrnoException; // chokidar passes on what node:fs gave
    if (code === 'EACCES' || code === 'EPERM') {
      // A folder that may not be read: the search tells of it, and looks whether it may be later.
      this.#isBlind = true;
      return;
    }
    const hint =
      code === 'ENOSPC'
        ? ' Raise fs.inotify.max_user_watches (sysctl).'
        : code === 'EMFILE'
          ? ' Raise fs.inotify.max_user_instances (sysctl) or the number of open files (ulimit -n).'
          : '';
    const text = `watching ${this.#options.dir} failed: ${message}.${hint} Until then it is looked at every ${POLL_MS / 1_000} s.`;
    if (!this.#isBlind) this.#options.onProblem?.({ message: text });
    this.#isBlind = true;
  }
}

/** A look at what is only listed would load it; its schema.json tells whether it must be. */
function hintIfTouched(follower: PluginFollower, plugin: FoundPlugin): void {
  const { listedAs } = follower;
  if (listedAs !== undefined && listedAs !== stampOf(plugin)) follower.hint('changed');
}

async function identityOf(dir: string): Promise<string> {
  const { dev, ino, birthtimeMs } = await lstat(dir);
  return `${dev} ${ino} ${birthtimeMs}`;
}
