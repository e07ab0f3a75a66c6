import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { Authority } from './authority.ts';
import type { CallRequest, Lookup } from './call/call.ts';
import { createExecutor, type Executor } from './call/executor.ts';
import { createFunctionTool, type FunctionToolDefinition, type ToolFunction } from './call/function-tool.ts';
import { CATALOGUES } from './call/messages/catalogues.ts';
import { createReadMoreTool } from './call/result/read-more.ts';
import { createTextStore } from './call/result/text-store.ts';
import type { CallResult } from './call/result.ts';
import { suggestNames } from './call/suggest-names.ts';
import { Validators } from './call/validators.ts';
import { Catalog } from './catalog/catalog.ts';
import { type FoundTool, type SearchOptions, ToolSearch } from './catalog/search.ts';
import type { Tool } from './catalog/tool.ts';
import { createView, type Selection, type View } from './catalog/view.ts';
import {
  type Config,
  type ConfigInput,
  type ConfigProblem,
  formatConfigProblems,
  readConfig,
  resolveLimits,
} from './config/index.ts';
import { type AskForApproval, createApprover } from './permissions/index.ts';
import type { PluginVersion } from './plugin/load-plugin.ts';
import type { JsonSchema, Manifest } from './plugin/manifest.ts';
import { PluginRoot } from './plugin/plugin-root.ts';
import type { LoadProblem } from './plugin/problem.ts';
import { createSandbox } from './sandbox/create-sandbox.ts';
import type { LogLevel, Sandbox } from './sandbox/sandbox.ts';
import { createSandboxedTool } from './sandbox/sandboxed-tool.ts';

export interface HostOptions {
  /** A file name, the config itself, or nothing: registry.config.json in the working directory, else the defaults. */
  readonly config?: string | ConfigInput;
  /** Follow the plugin directories. @defaultValue the config's `watch`, which is true by default */
  readonly watch?: boolean;
  /** What plugins log, `console` included. */
  readonly onLog?: (tool: string, level: LogLevel, text: string) => void;
  /**
   * Decides about calls that need an approval: tools that are `destructive`, or whose `approval` is `always`.
   * Absent: such calls are refused.
   */
  readonly onApproval?: AskForApproval;
  /** Trouble that belongs to no call and no plugin: a folder that can't be read, a fault of the runtime. */
  readonly onProblem?: (problem: LoadProblem) => void;
}

const OPTION_NAMES: readonly string[] = [
  'config',
  'watch',
  'onLog',
  'onApproval',
  'onProblem',
] satisfies (keyof HostOptions)[];

/** A wrong config; thrown by {@link createHost}, since nothing can run without one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(message: string, problems: readonly ConfigProblem[]) {
    super(message);
    this.problems = problems;
  }
}

/**
 * Reads the config, starts the sandbox and loads the plugins. Resolves once calls can be made to what has loaded
 * by then; `host.ready` tells when all has.
 *
 * @throws ConfigError when the config is wrong, with every problem in it.
 * @throws TypeError for an option that does not exist.
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  for (const key of Object.keys(options)) {
    if (OPTION_NAMES.includes(key)) continue;
    const [meant] = suggestNames(key, OPTION_NAMES);
    const hint = meant === undefined ? `known are ${OPTION_NAMES.join(', ')}` : `did you mean "${meant}"?`;
    throw new TypeError(`createHost has no option "${key}"; ${hint} A config goes into "config".`);
  }
  const read = await readConfig(options.config);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  const { sandbox: settings } = read.config;
  return new Host(read.config, options, await createSandbox(settings));
}

/** Runs tools. `call` never rejects; `close` (or `await using`) ends the processes, and Node then exits by itself. */
export class Host implements AsyncDisposable {
  readonly catalog = new Catalog();
  /** Resolves when every plugin directory has been read once. Never rejects: what is wrong is in the catalog. */
  readonly ready: Promise<void>;
  readonly #config: Config;
  readonly #options: HostOptions;
  readonly #sandbox: Sandbox;
  readonly #executor: Executor;
  readonly #roots: PluginRoot[];
  /** Resolves before `ready`, when the plugins have been read but are not followed yet. */
  readonly #loaded: Promise<void>;
  readonly #authority: Authority;
  /** Frees what the sandbox holds for a version, once no lookup gives it any more. */
  readonly #programs = new WeakMap<Tool, () => void>();
  readonly #search: ToolSearch;
  readonly #view: View;
  #closing: Promise<void> | undefined;

  /** Use {@link createHost}. */
  constructor(config: Config, options: HostOptions, sandbox: Sandbox) {
    this.#config = config;
    this.#options = options;
    this.#sandbox = sandbox;
    this.#authority = new Authority({
      config,
      callTool: (name, args, signal, { session }, chain) =>
        this.call({ name, arguments: args, signal, chain, ...(session === undefined ? {} : { session }) }),
      onProblem: (message) => options.onProblem?.({ message }),
    });
    const store = createTextStore({});
    const catalogue = CATALOGUES[config.locale];
    const validators = new Validators(config.locale);
    this.#executor = createExecutor(
      {
        lookup: (name) => this.#lookup(name),
        validatorFor: (tool, part) => validators.for(tool, part),
        approve: createApprover(options.onApproval === undefined ? {} : { ask: options.onApproval }),
        authorise: (tool, call) => this.#authority.authorise(tool, call),
        log: (tool, _call, level, text) => options.onLog?.(tool.manifest.name, level, text),
        fault: (stage, error) =>
          options.onProblem?.({
            message: `a fault in ${stage}: ${error instanceof Error ? error.message : 'unknown'}`,
          }),
      },
      { locale: config.locale, format: config.result.format, store },
    );
    this.catalog.on('retire', (tool) => this.#programs.get(tool)?.());
    this.#addBuiltIn(createReadMoreTool({ store, catalogue, limits: config.limits }));
    const source = { list: () => this.catalog.tools() };
    this.#search = new ToolSearch(source);
    this.#view = createView(source);
    this.#roots = config.plugins.map((plugins) => this.#openRoot(plugins));
    this.#loaded = this.#load();
    this.ready = this.#loaded.then(() => this.#follow());
  }

  /**
   * Runs one call to its one answer; never throws and never rejects. Waits until the plugins have been read once. A name
   * that a provider's export made legal (`github_create_issue`) is taken for the tool's own.
   */
  async call(request: CallRequest): Promise<CallResult> {
    await this.#loaded;
    return this.#executor.call(this.#underOwnName(readRequest(request)));
  }

  /** What one session or turn may see. Without a selection: everything. */
  view(selection?: Selection): View {
    return selection === undefined ? this.#view : this.#view.narrow(selection);
  }

  search(query: string, options?: SearchOptions): FoundTool[] {
    return this.#search.search(query, options);
  }

  /**
   * Registers a function of this process as a tool: trusted, outside the wall.
   *
   * @returns a function that takes the tool away again.
   * @throws TypeError when the parameters are no schema of an object, or the name is taken.
   */
  tool<const Schema extends StandardSchemaV1 | JsonSchema>(
    definition: FunctionToolDefinition<Schema>,
    run: ToolFunction<Schema>,
  ): () => void {
    const source = `function:${definition.name}`;
    const taken = this.catalog.get(definition.name);
    if (taken !== undefined) {
      throw new TypeError(
        `the name "${definition.name}" is taken by ${taken.dir ?? `a tool of the origin "${taken.origin}"`}; give the function another`,
      );
    }
    const tool = createFunctionTool(definition, run, this.#config.limits);
    this.catalog.apply([{ source, origin: 'function', state: { kind: 'good', tool } }]);
    return () => this.catalog.apply([{ source, origin: 'function', state: { kind: 'gone' } }]);
  }

  /** Lets a quarantined plugin run again; false when it was not in quarantine. */
  release(name: string): boolean {
    return this.#sandbox.release(name);
  }

  /** Plugins that are not run because they kept killing workers. */
  quarantined(): readonly { readonly name: string; readonly reason: string }[] {
    return this.#sandbox.quarantined();
  }

  /** The worker processes that live now. */
  workers(): readonly { readonly pid: number; readonly calls: number; readonly rssBytes: number }[] {
    return this.#sandbox.workers();
  }

  /** Resolves once no change of a plugin directory is waiting to be read. */
  async settled(): Promise<void> {
    await this.ready;
    await Promise.all(this.#roots.map((root) => root.settled()));
  }

  /** Ends calls in flight as `cancelled`, then the watchers and the processes. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#sandbox.close();
    await this.ready;
    await Promise.all(this.#roots.map((root) => root.close()));
    await this.#authority.close();
  }

  #openRoot({ dir, trust, grants }: Config['plugins'][number]): PluginRoot {
    const { onProblem } = this.#options;
    return new PluginRoot({
      dir,
      trust,
      catalog: this.catalog,
      limitsOf: (manifest) => this.#limitsOf(manifest),
      probe: (program, limits) => this.#sandbox.probe(program, limits),
      makeTool: (plugin) =>
        this.#makeTool(plugin, trust === 'declared' ? 'as_requested' : (grants[plugin.manifest.name] ?? {})),
      ...(onProblem === undefined ? {} : { onProblem }),
    });
  }

  #limitsOf(manifest: Manifest) {
    return resolveLimits(this.#config.limits, this.#config.ceilings, manifest.limits).limits;
  }

  #makeTool(plugin: PluginVersion, grant: Parameters<Authority['admit']>[2]): Tool {
    const { manifest, version, program, locate } = plugin;
    const tool = createSandboxedTool(this.#sandbox, {
      manifest,
      version,
      program,
      locate,
      limits: this.#limitsOf(manifest),
    });
    this.#authority.admit(tool, manifest, grant);
    this.#programs.set(tool, () => this.#sandbox.retire(program));
    return tool;
  }

  async #load(): Promise<void> {
    for (const { dir } of this.#config.plugins) {
      const isThere = await stat(dir).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isThere)
        this.#options.onProblem?.({
          message: `plugins: there is no directory ${path.relative(process.cwd(), dir) || dir}`,
        });
    }
    const loads = await Promise.all(this.#roots.map((root) => this.#guarded(root.load(), [])));
    this.catalog.apply(loads.flat());
  }

  async #follow(): Promise<void> {
    if (!(this.#options.watch ?? this.#config.watch) || this.#closing !== undefined) return;
    await Promise.all(this.#roots.map((root) => this.#guarded(root.follow(), undefined)));
  }

  async #guarded<Value>(work: Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      this.#options.onProblem?.({
        message: error instanceof Error ? error.message : 'a plugin folder could not be read',
      });
      return otherwise;
    }
  }

  #addBuiltIn(tool: Tool): void {
    this.catalog.apply([
      { source: `builtin:${tool.manifest.name}`, origin: 'builtin', state: { kind: 'good', tool } },
    ]);
  }

  #lookup(name: string): Lookup {
    const tool = this.catalog.lookup(name);
    if (tool !== undefined) return { kind: 'tool', tool };
    const entry = this.catalog.get(name);
    if (entry === undefined) return { kind: 'unknown', visible: this.#view.names() };
    return { kind: 'unavailable', reason: this.#reasonFor(entry.problems[0]) };
  }

  /** For a model: places as it would write them, nothing of this machine. */
  #reasonFor(problem: LoadProblem | undefined): string {
    if (problem === undefined) return 'it could not be loaded';
    const { file, line, message } = problem;
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
    const plain = message
      .replaceAll(`${this.#config.baseDir}${path.sep}`, '')
      .replace(/^(\/[^\s:]+):/, (_all, pointer: string) => `${pointer.slice(1).replaceAll('/', '.')}:`);
    return `${place}${plain}`;
  }

  #underOwnName(request: CallRequest): CallRequest {
    const { name } = request;
    // The look-up first: it serves nearly every call and makes nothing.
    if (this.catalog.lookup(name) !== undefined || this.catalog.get(name) !== undefined) return request;
    for (const target of EXPORTS_WITH_NAMES) {
      const { mapping } = this.#view.export(target);
      if (mapping.toolName(request.name) !== undefined)
        return { ...request, ...mapping.restore(request.name, request.arguments) };
    }
    return request;
  }
}

const EXPORTS_WITH_NAMES = ['openai', 'gemini'] as const;

/** What comes from outside the types (a model's call, plain JavaScript) may be anything. */
function readRequest(request: CallRequest): CallRequest {
  const given: unknown = request;
  if (typeof given !== 'object' || given === null) return { name: '' };
  return typeof request.name === 'string' ? request : { ...request, name: '' };
}
