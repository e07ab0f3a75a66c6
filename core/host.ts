import type { StandardSchemaV1 } from '@standard-schema/spec';
import { Authority } from './authority.ts';
import type { CallRequest, Lookup } from './call/call.ts';
import { createExecutor, type Executor } from './call/executor.ts';
import { createFunctionTool, type FunctionToolDefinition, type ToolFunction } from './call/function-tool.ts';
import { CATALOGUES } from './call/messages/catalogues.ts';
import { createReadMoreTool } from './call/result/read-more.ts';
import { createTextStore } from './call/result/text-store.ts';
import type { CallResult } from './call/result.ts';
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
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
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
  readonly #authority: Authority;
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
    this.ready = this.#loadAll();
  }

  /** Frees what the sandbox holds for a version, once no lookup gives it any more. */
  readonly #programs = new WeakMap<Tool, () => void>();

  /** Runs one call to its one answer; never throws and never rejects. */
  async call(request: CallRequest): Promise<CallResult> {
    return this.#executor.call(request);
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
   * @throws TypeError when the parameters are no schema of an object, or the name is taken by another function.
   */
  tool<const Schema extends StandardSchemaV1 | JsonSchema>(
    definition: FunctionToolDefinition<Schema>,
    run: ToolFunction<Schema>,
  ): () => void {
    const source = `function:${definition.name}`;
    if (this.catalog.has(source))
      throw new TypeError(`a function is registered as "${definition.name}" already`);
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

  async #loadAll(): Promise<void> {
    const watching = this.#options.watch ?? this.#config.watch;
    const loads = await Promise.all(this.#roots.map((root) => this.#guarded(root.load(), [])));
    this.catalog.apply(loads.flat());
    if (watching && this.#closing === undefined)
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
    return {
      kind: 'unavailable',
      reason:
        entry.problems.map(
          ({ file, line, message }) =>
            `${file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `}${message}`,
        )[0] ?? 'it could not be loaded',
    };
  }
}
