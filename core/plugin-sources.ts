import { stat } from 'node:fs/promises';
import path from 'node:path';
import { evaluateOnce } from './authoring/from-code/evaluate-once.ts';
import type { Authority, GrantOf } from './authority.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Tool } from './catalog/tool.ts';
import { type Config, dataPathOf, lockPathOf, type PluginSource, resolveLimits } from './config/index.ts';
import type { Inspector } from './inspect/index.ts';
import { type Lock, openLock } from './permissions/index.ts';
import type { Manifest } from './plugin/manifest.ts';
import type { AnyVersion } from './plugin/offer-version.ts';
import type { Admission } from './plugin/plugin-builder.ts';
import { PluginRoot } from './plugin/plugin-root.ts';
import type { PluginVersion } from './plugin/plugin-version.ts';
import type { LoadProblem } from './plugin/problem.ts';
import { createOfferTool } from './resources/offer-tool.ts';
import type { Sandbox, SandboxProgram } from './sandbox/sandbox.ts';
import { createSandboxedTool } from './sandbox/sandboxed-tool.ts';
import { ownValue } from './schema/pointer.ts';

export interface PluginSourcesOptions {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly sandbox: Sandbox;
  readonly authority: Authority;
  readonly onProblem?: (problem: LoadProblem) => void;
  readonly inspector?: Inspector | undefined;
  /** How far the first load is, over all directories. */
  readonly onLoading?: (done: number, total: number, name: string) => void;
}

/** The plugin directories of a config: what is in them becomes tools, under the trust and the grants that it names. */
export class PluginSources {
  readonly #options: PluginSourcesOptions;
  readonly #roots: readonly { readonly source: PluginSource; readonly root: PluginRoot }[];
  readonly #lock: Lock;
  /** By directory; the config's own, until it changes. */
  readonly #grants = new Map<string, PluginSource['grants']>();
  /** Frees what the sandbox holds for a version, once no lookup gives it any more. */
  readonly #programs = new WeakMap<Tool, () => void>();
  readonly #loading = new Map<string, readonly [done: number, total: number]>();

  constructor(options: PluginSourcesOptions) {
    this.#options = options;
    const { config, catalog } = options;
    this.#lock = openLock(lockPathOf(config), { locale: config.locale });
    for (const { dir, grants } of config.plugins) this.#grants.set(dir, grants);
    this.#roots = config.plugins.map((source) => ({ source, root: this.#open(source) }));
    catalog.on('retire', (tool) => this.#programs.get(tool)?.());
  }

  /** Reads every plugin once. Never rejects: what is wrong is in the catalog, or told as a problem. */
  async load(): Promise<void> {
    for (const { dir } of this.#options.config.plugins) {
      const isThere = await stat(dir).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isThere) this.#tell(`plugins: there is no directory ${path.relative(process.cwd(), dir) || dir}`);
    }
    const loads = await Promise.all(this.#roots.map(({ root }) => this.#guarded(root.load(), [])));
    this.#options.catalog.apply(loads.flat());
  }

  /** From now on changes are followed. */
  async follow(): Promise<void> {
    await Promise.all(this.#roots.map(({ root }) => this.#guarded(root.follow(), undefined)));
  }

  /** Resolves once no change is waiting to be read. */
  async settled(): Promise<void> {
    await Promise.all(this.#roots.map(({ root }) => root.settled()));
  }

  /** Takes the grants of a config that has changed; calls that begin from now on have them. */
  regrant(sources: readonly PluginSource[]): void {
    for (const { dir, grants } of sources) if (this.#grants.has(dir)) this.#grants.set(dir, grants);
    this.#options.authority.regrant();
  }

  /** The lock has changed: versions that were held may serve, and the other way round. */
  recheck(): void {
    for (const { source, root } of this.#roots) if (source.trust === 'granted') root.recheck();
  }

  async close(): Promise<void> {
    await Promise.all(this.#roots.map(({ root }) => root.close()));
  }

  #open(source: PluginSource): PluginRoot {
    const { dir, trust } = source;
    const { onProblem, catalog, sandbox } = this.#options;
    return new PluginRoot({
      dir,
      trust,
      catalog,
      limitsOf: (manifest) => this.#limitsOf(manifest),
      probe: (program, limits) => sandbox.probe(program, limits),
      evaluate: evaluateOnce(sandbox),
      cacheDir: path.join(dataPathOf(this.#options.config), 'cache'),
      makeTool: (plugin) => this.#makeTool(plugin, source),
      deferAbove: this.#options.config.deferAbove,
      onLoading: (done, total, name) => this.#tellLoading(dir, done, total, name),
      adopt: (tool) => this.#options.authority.admit(tool, () => this.#grantOf(source, tool.manifest)),
      ...(trust === 'granted' ? { admit: (plugin: AnyVersion) => this.#admit(plugin) } : {}),
      ...(onProblem === undefined ? {} : { onProblem }),
    });
  }

  async #admit(plugin: AnyVersion): Promise<Admission> {
    const admission = await this.#lock.admit(plugin);
    if (admission.kind === 'admitted') return { admitted: true };
    return { admitted: false, reason: admission.text, withdrawn: admission.reason === 'unknown' };
  }

  #limitsOf(manifest: Manifest) {
    const { limits, ceilings } = this.#options.config;
    return resolveLimits(limits, ceilings, manifest.limits).limits;
  }

  #grantOf({ dir, trust }: PluginSource, { name }: Manifest): ReturnType<GrantOf> {
    return trust === 'declared' ? 'as_requested' : (ownValue(this.#grants.get(dir) ?? {}, name) ?? {});
  }

  #makeTool(plugin: AnyVersion, source: PluginSource): Tool {
    const { manifest } = plugin;
    const { sandbox, authority } = this.#options;
    const limits = this.#limitsOf(manifest);
    if (!('offer' in plugin) && this.#options.inspector?.wants(plugin) === true) {
      const inspected = this.#options.inspector.open(plugin, limits);
      authority.admit(inspected.tool, () => this.#grantOf(source, manifest));
      this.#programs.set(inspected.tool, inspected.close);
      return inspected.tool;
    }
    const tool =
      'offer' in plugin
        ? createOfferTool(sandbox, plugin, limits)
        : createSandboxedTool(sandbox, { ...partsOf(plugin), limits });
    for (const each of callablesOf(tool)) authority.admit(each, () => this.#grantOf(source, manifest));
    this.#programs.set(tool, () => {
      for (const program of programsOf(plugin)) sandbox.retire(program);
    });
    return tool;
  }

  async #guarded<Value>(work: Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : 'a plugin folder could not be read');
      return otherwise;
    }
  }

  #tellLoading(dir: string, done: number, total: number, name: string): void {
    this.#loading.set(dir, [done, total]);
    const all = [...this.#loading.values()];
    const sum = (index: 0 | 1) => all.reduce((count, pair) => count + pair[index], 0);
    this.#options.onLoading?.(sum(0), sum(1), name);
  }

  #tell(message: string): void {
    this.#options.onProblem?.({ message });
  }
}

function partsOf({ manifest, version, program, locate }: PluginVersion) {
  return { manifest, version, program, locate };
}

/** The tool, and what completes the variables of a resource. */
function callablesOf(tool: Tool): Tool[] {
  const completer = tool.offer?.kind === 'resource' ? tool.offer.completer : undefined;
  return completer === undefined ? [tool] : [tool, completer];
}

function programsOf(plugin: AnyVersion): SandboxProgram[] {
  if ('program' in plugin) return [plugin.program];
  const { body } = plugin;
  if (body.kind === 'own') return [];
  return body.completer === undefined ? [body.program] : [body.program, body.completer.program];
}
