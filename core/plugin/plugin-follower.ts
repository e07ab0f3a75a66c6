import type { SourceState } from '../catalog/catalog.ts';
import type { Tool } from '../catalog/tool.ts';
import type { AnyVersion } from './offer-version.ts';
import type { LoadProblem } from './problem.ts';
import { type DirectoryReading, readDirectory } from './read-directory.ts';

/** What one build of the directory came to. */
export interface Built {
  readonly state: SourceState;
  /** Absent when nothing could be built. */
  readonly plugin?: AnyVersion;
}

export interface FollowerOptions {
  readonly dir: string;
  /** What it is called where it can't be read. */
  readonly name: string;
  /**
   * Reads, bundles, tries and admits it; `serving` is what serves now, for a build that changes nothing, and `contents`
   * the hash of the directory as it was just read.
   */
  readonly build: (serving: Serving | undefined, contents: string | undefined) => Promise<Built>;
  /** Is it a plugin still, as seen from the root? */
  readonly isPlugin: () => Promise<boolean>;
  readonly publish: (state: SourceState) => void;
  /** A hint opens a window this long, milliseconds; more hints in it make it begin anew. */
  readonly quietMs: number;
}

export interface Serving {
  readonly plugin: AnyVersion;
  readonly tool: Tool;
}

/** A window that never closes is cut here, milliseconds: a directory that is written to all the time loads too. */
const MAX_WAIT_MS = 2_000;
/** How long a broken or missing directory is given before that is believed, milliseconds. */
const GRACE_MS = 300;

/** Follows one plugin directory: takes hints that it changed, and finds out by reading it whole. */
export class PluginFollower {
  readonly dir: string;
  readonly #options: FollowerOptions;
  #timer: NodeJS.Timeout | undefined;
  #hintedSince: number | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  /** The stamp of what is only listed. */
  #listedAs: string | undefined;
  #demanded: Promise<Built> | undefined;
  /** Counts what the directory's own hash does not show, such as a change in a package. */
  #forced = 0;
  #seen: { readonly hash: string; readonly forced: number } | undefined;
  #serving: Serving | undefined;
  /** What was published last, to stay silent where nothing changed. */
  #published = '';

  constructor(options: FollowerOptions) {
    this.dir = options.dir;
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#timer !== undefined || this.#running !== undefined;
  }

  /** The first load, for its caller to publish. */
  async load(): Promise<SourceState> {
    const reading = await readDirectory(this.dir);
    const built = await this.#build(reading);
    if (reading.kind === 'read') this.#seen = { hash: reading.hash, forced: this.#forced };
    this.#keep(built);
    this.#published = describe(built.state);
    return built.state;
  }

  /** Lists it without a look at its code; the first change, or `demand`, loads it. */
  defer(state: SourceState, stamp: string): void {
    this.#listedAs = stamp;
    this.#published = describe(state);
  }

  /** The stamp of what is only listed; undefined for what was loaded. */
  get listedAs(): string | undefined {
    return this.#listedAs;
  }

  /** Loads what was only listed, once for all who ask. */
  demand(): Promise<Built> {
    this.#demanded ??= this.#load();
    return this.#demanded;
  }

  async #load(): Promise<Built> {
    const reading = await readDirectory(this.dir);
    const built = await this.#build(reading);
    // A change that was followed meanwhile is younger.
    if (this.#listedAs === undefined || this.#closed) return built;
    if (reading.kind === 'read') this.#seen = { hash: reading.hash, forced: this.#forced };
    this.#publish(built);
    // What changed while it was read, and below its folder, left no event.
    this.hint();
    return built;
  }

  /** Something may have changed. What is only listed is looked at again by its `demand`, or when it surely changed. */
  hint(kind: 'look' | 'force' | 'changed' = 'look'): void {
    if (this.#closed || (this.#listedAs !== undefined && kind === 'look')) return;
    if (kind === 'force') this.#forced += 1;
    const now = performance.now();
    this.#hintedSince ??= now;
    if (this.#timer !== undefined && now - this.#hintedSince > MAX_WAIT_MS) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fire(), this.#options.quietMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #fire(): void {
    this.#timer = undefined;
    this.#hintedSince = undefined;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#refresh().finally(() => {
      this.#running = undefined;
      if (this.#again && !this.#closed) {
        this.#again = false;
        this.#fire();
      }
    });
  }

  /** Reads, builds aside and reads again until both readings agree, so that what is built was there as a whole. */
  async #refresh(): Promise<void> {
    let earlier: Built | undefined;
    while (!this.#closed) {
      const forced = this.#forced;
      const before = await readDirectory(this.dir);
      if (!(await this.#isThere(before))) {
        await pause(GRACE_MS);
        if (await this.#isThere(await readDirectory(this.dir))) continue;
        return this.#publish({ state: { kind: 'gone' } });
      }
      const isSeen = before.kind === 'read' && before.hash === this.#seen?.hash;
      if (isSeen && forced === this.#seen?.forced) return;
      const built = await this.#build(before);
      // Half-written, perhaps: a failure is believed only if it stays.
      if (built.plugin === undefined) await pause(GRACE_MS);
      const after = await readDirectory(this.dir);
      if (!isSame(before, after)) {
        // A directory that a plugin keeps its own data in never comes to rest; two builds that agree are as good.
        const agrees = built.plugin !== undefined && built.plugin.version === earlier?.plugin?.version;
        earlier = built;
        if (!agrees) {
          await pause(this.#options.quietMs);
          continue;
        }
      }
      if (this.#closed) return;
      this.#seen = before.kind === 'read' ? { hash: before.hash, forced } : undefined;
      return this.#publish(built);
    }
  }

  async #isThere(reading: DirectoryReading): Promise<boolean> {
    if (reading.kind === 'gone') return false;
    // One that may not be read may still be there.
    return reading.kind === 'unreadable' || (reading.hasMarker && (await this.#options.isPlugin()));
  }

  async #build(reading: DirectoryReading): Promise<Built> {
    try {
      return await this.#options.build(this.#serving, reading.kind === 'read' ? reading.hash : undefined);
    } catch (error) {
      const message = `loading it failed: ${error instanceof Error ? error.message : 'unknown reason'}`;
      return { state: { kind: 'broken', name: this.#options.name, problems: [{ message }] } };
    }
  }

  #publish(built: Built): void {
    this.#listedAs = undefined;
    this.#keep(built);
    const description = describe(built.state);
    if (description === this.#published) return;
    this.#published = description;
    this.#options.publish(built.state);
  }

  #keep({ state, plugin }: Built): void {
    if (state.kind === 'gone' || (state.kind === 'held' && state.withdrawn === true))
      this.#serving = undefined;
    if (state.kind === 'good' && plugin !== undefined) this.#serving = { plugin, tool: state.tool };
  }
}

function isSame(one: DirectoryReading, other: DirectoryReading): boolean {
  if (one.kind === 'read' && other.kind === 'read') return one.hash === other.hash;
  return one.kind === other.kind;
}

function describe(state: SourceState): string {
  switch (state.kind) {
    case 'good':
      return JSON.stringify([state.kind, state.tool.version, state.warnings]);
    case 'gone':
      return state.kind;
    default:
      return JSON.stringify([
        state.kind,
        state.name,
        state.problems satisfies readonly LoadProblem[],
        state.kind === 'held' && state.withdrawn === true,
      ]);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
