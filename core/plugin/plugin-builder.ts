import type { Tool } from '../catalog/tool.ts';
import { BuildCache } from './build-cache.ts';
import { Limiter } from './limiter.ts';
import type { LoadOptions } from './load-options.ts';
import { loadVersion } from './load-version.ts';
import type { AnyVersion } from './offer-version.ts';
import type { PackageWatcher } from './package-watcher.ts';
import type { Built, Serving } from './plugin-follower.ts';
import type { RootWatcher } from './root-watcher.ts';

export interface BuilderOptions
  extends Pick<LoadOptions, 'trust' | 'limitsOf' | 'probe' | 'evaluate' | 'cacheDir'> {
  readonly makeTool: (plugin: AnyVersion) => Tool;
  /** May this version serve? Asked after it was built and tried, before it takes the place of the old one. */
  readonly admit?: (plugin: AnyVersion) => Promise<Admission>;
}

export type Admission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      /** For the operator, with what changed against what was consented to; several lines. */
      readonly reason: string;
      /** Nobody consents to it any more: a version of it that serves ends too. */
      readonly withdrawn?: boolean;
    };

/** A plugin's directory as it is built. */
interface Place {
  readonly dir: string;
  readonly name: string;
  readonly contents: string | undefined;
}

const MAX_BUILDS = 4;

/** Makes tools of the directories of one root, a few at a time, and has what they are made of watched. */
export class PluginBuilder {
  readonly #options: BuilderOptions;
  readonly #watcher: RootWatcher;
  readonly #packages: PackageWatcher;
  readonly #builds = new Limiter(MAX_BUILDS);
  readonly #kept: BuildCache | undefined;
  readonly #loadMs = new Map<string, number>();
  readonly #lacking = new Set<string>();

  constructor(options: BuilderOptions, watcher: RootWatcher, packages: PackageWatcher) {
    this.#options = options;
    this.#watcher = watcher;
    this.#packages = packages;
    this.#kept = options.cacheDir === undefined ? undefined : new BuildCache(options.cacheDir);
  }

  /** Directories that lack a package, which may be installed where no watcher looks. */
  get lacking(): Iterable<string> {
    return this.#lacking;
  }

  /** How long its newest build took, milliseconds. */
  loadMsOf(dir: string): number | undefined {
    return this.#loadMs.get(dir);
  }

  /** `serving` is what serves now, for a build that changes nothing. */
  build(place: Place, serving: Serving | undefined): Promise<Built> {
    return this.#builds.run(async () => {
      const began = performance.now();
      this.#watcher.wake(place.dir);
      try {
        return await this.#build(place, serving);
      } finally {
        this.#loadMs.set(place.dir, performance.now() - began);
      }
    });
  }

  forget(dir: string): void {
    this.#lacking.delete(dir);
    this.#loadMs.delete(dir);
    this.#watcher.forget(dir);
    this.#packages.follow(dir, []);
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
    this.#packages.follow(dir, plugin.outside);
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
}
