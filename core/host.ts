import path from 'node:path';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type RunnableToolsOptions, runnableTools } from './agent/index.ts';
import { type AuditLog, createAuditLog, createTelemetry, type Telemetry } from './audit/index.ts';
import { Authority } from './authority.ts';
import type { CallRequest, CallView, Lookup } from './call/call.ts';
import type { Executor } from './call/executor.ts';
import { createFunctionTool, type FunctionToolDefinition, type ToolFunction } from './call/function-tool.ts';
import { CATALOGUES } from './call/messages/catalogues.ts';
import { readRequest } from './call/read-request.ts';
import { createReadMoreTool } from './call/result/read-more.ts';
import { createTextStore, type TextStore } from './call/result/text-store.ts';
import { loadTokenCounter } from './call/result/token-counter.ts';
import type { CallResult } from './call/result.ts';
import { Catalog, type CatalogEntry } from './catalog/catalog.ts';
import { createSearchTool, type FoundTool, type SearchOptions, ToolSearch } from './catalog/search.ts';
import type { Tool } from './catalog/tool.ts';
import { createView, type Selection, type ToolSource, type View } from './catalog/view.ts';
import { type Config, formatConfigProblems, type Locale, readConfig } from './config/index.ts';
import { ConfigFollower } from './config-follower.ts';
import { guardListeners } from './guard-listeners.ts';
import { ConfigError, checkHostOptions, type HostOptions } from './host-options.ts';
import { Inspector } from './inspect/index.ts';
import { McpSources } from './mcp-sources.ts';
import { createPipeline, type PipelineParts } from './pipeline.ts';
import type { JsonSchema } from './plugin/manifest.ts';
import { PluginSources } from './plugin-sources.ts';
import { Prompts } from './prompts/prompts.ts';
import { lookupCall } from './resources/offer-calls.ts';
import { Resources } from './resources/resources.ts';
import { createSandbox } from './sandbox/create-sandbox.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/**
 * Reads the config, starts the sandbox and loads the plugins. Resolves once each has been read; `host.ready` tells when
 * their changes are followed too.
 *
 * @throws ConfigError when the config is wrong, with every problem in it.
 * @throws TypeError for an option that does not exist.
 * @throws Error for a limit in tokens without the package gpt-tokenizer.
 */
export async function createHost(given: HostOptions = {}): Promise<Host> {
  checkHostOptions(given);
  const options = guardListeners(given);
  const read = await readConfig(options.config);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  const { sandbox, result } = read.config;
  const counting = options.resultTokens ?? (await countTokens(result.tokens));
  const host = new Host(
    read.config,
    counting === undefined ? options : { ...options, resultTokens: counting },
    await createSandbox(sandbox),
  );
  await host.loaded;
  return host;
}

async function countTokens(limit: number | undefined): Promise<HostOptions['resultTokens']> {
  return limit === undefined ? undefined : { limit, count: await loadTokenCounter() };
}

/** Runs tools. `call` never rejects; `close` (or `await using`) ends the processes, and Node then exits by itself. */
export class Host implements AsyncDisposable {
  readonly catalog = new Catalog();
  /** The resources of the plugin directories: listed, read, completed, subscribed to. */
  readonly resources: Resources;
  /** The prompts of the plugin directories: listed, filled, completed. */
  readonly prompts: Prompts;
  /** Resolves when every plugin directory and every MCP server has been read once. Never rejects: what is wrong is in the catalog. */
  readonly loaded: Promise<void>;
  /** Resolves after that, when changes are followed. Never rejects. */
  readonly ready: Promise<void>;
  readonly #config: Config;
  readonly #options: HostOptions;
  readonly #sandbox: Sandbox;
  #isLoaded = false;
  readonly #executor: Executor;
  readonly #plugins: PluginSources;
  readonly #inspector: Inspector | undefined;
  readonly #servers: McpSources;
  readonly #follower: ConfigFollower | undefined;
  readonly #authority: Authority;
  readonly #audit: AuditLog | undefined;
  readonly #telemetry: Telemetry;
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
      callTool: (name, args, signal, { session, ask }, chain) =>
        this.call({
          ...{ name, arguments: args, signal, chain },
          ...(session === undefined ? {} : { session }),
          ...(ask === undefined ? {} : { ask }),
        }),
      ownNameOf: (name) => this.#underOwnName({ name }).name,
      onProblem: (message) => this.#tell(message),
    });
    const { audit, telemetry } = config;
    this.#audit = audit && createAuditLog({ ...audit, onProblem: (message) => this.#tell(message) });
    this.#telemetry = createTelemetry({
      recordArguments: telemetry.arguments,
      recordResults: telemetry.results,
    });
    const store = createTextStore({});
    const shared: Pick<PipelineParts, 'config' | 'options' | 'authorise' | 'write'> = {
      ...{ config, options },
      authorise: (tool, call) => this.#authority.authorise(tool, call),
      write: (entry) => this.#audit?.write(entry),
    };
    this.#executor = createPipeline({ ...shared, store, lookup: (name, view) => this.#lookup(name, view) });
    const reader = createPipeline({
      ...shared,
      // Nothing of what is read waits for a model's `read_more`.
      store: createTextStore({ maxChars: 0 }),
      lookup: (name) => lookupCall(this.catalog, name, (entry) => this.#reasonFor(entry)),
      isReading: true,
    });
    const offers = {
      ...{ catalog: this.catalog, locale: config.locale, loaded: () => this.loaded },
      call: (request: CallRequest) => this.#trace(reader, request),
      onProblem: (message: string) => this.#tell(message),
    };
    this.resources = new Resources(offers);
    this.prompts = new Prompts(offers);
    const source = { list: () => this.catalog.tools() };
    this.#addBuiltIns(store, source);
    this.#search = new ToolSearch(source);
    this.#view = createView(source);
    const { onProblem } = options;
    const telling = onProblem === undefined ? {} : { onProblem };
    this.#inspector = options.inspect && new Inspector(options.inspect);
    this.#plugins = new PluginSources({
      ...{ config, catalog: this.catalog, sandbox, authority: this.#authority },
      ...(options.onLoading === undefined ? {} : { onLoading: options.onLoading }),
      inspector: this.#inspector,
      ...telling,
    });
    this.#servers = new McpSources({ config, apply: (updates) => this.catalog.apply(updates), ...telling });
    this.#follower = this.#isFollowing()
      ? new ConfigFollower({
          config,
          onConfig: ({ plugins }) => this.#plugins.regrant(plugins),
          onLock: () => {
            this.#plugins.recheck();
            this.#servers.recheck();
          },
          ...telling,
        })
      : undefined;
    this.loaded = this.#plugins.load().then(() => {
      this.#isLoaded = true;
    });
    const followed = this.loaded.then(() => this.#follow());
    this.ready = Promise.all([followed, this.#servers.settled()]).then(() => undefined);
  }

  /** Language of what a model reads. */
  get locale(): Locale {
    return this.#config.locale;
  }

  /** For the `openai` package's own loop. */
  readonly openai = {
    /**
     * Tools for `client.chat.completions.runTools({ model, messages, tools })`. None of them throws: whatever goes wrong
     * is a text that the model reads.
     */
    runTools: (options: RunnableToolsOptions = {}) => runnableTools(this, options),
  };

  /**
   * Runs one call to its one answer; never throws and never rejects. Waits until the plugins have been read once. A name
   * that a provider's export made legal (`github_create_issue`) is taken for the tool's own.
   */
  call(request: CallRequest): Promise<CallResult> {
    const read = readRequest(request);
    // Nearly always; what is awaited all the same costs every call.
    return this.#isLoaded && this.catalog.lookup(read.name) !== undefined
      ? this.#trace(this.#executor, read)
      : this.#callWhenKnown(read);
  }

  async #callWhenKnown(request: CallRequest): Promise<CallResult> {
    await this.loaded;
    if (this.catalog.lookup(request.name) === undefined) await this.#servers.waitFor(request.name);
    // What a tool calls was held against its policy by this name: no other one may be meant.
    const isFromTool = request.chain !== undefined && request.chain.length > 0;
    return this.#trace(this.#executor, isFromTool ? request : this.#underOwnName(request));
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
   * @throws TypeError when the definition lacks something, the parameters are no schema of an object, or the name is taken.
   */
  tool<const Schema extends StandardSchemaV1 | JsonSchema>(
    definition: FunctionToolDefinition<Schema>,
    run: ToolFunction<Schema>,
  ): () => void {
    // First: it refuses what is no definition.
    const tool = createFunctionTool(definition, run, this.#config.limits);
    const source = `function:${definition.name}`;
    const taken = this.catalog.get(definition.name);
    if (taken !== undefined) {
      throw new TypeError(
        `the name "${definition.name}" is taken by ${taken.dir ?? `a tool of the origin "${taken.origin}"`}; give the function another`,
      );
    }
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
    await this.#plugins.settled();
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
    await Promise.all([this.#sandbox.close(), this.#servers.close(), this.#inspector?.close()]);
    await this.ready;
    await Promise.all([this.#plugins.close(), this.#follower?.close()]);
    await this.#authority.close();
    await this.#audit?.close();
  }

  #tell(message: string): void {
    this.#options.onProblem?.({ message });
  }

  #isFollowing(): boolean {
    return this.#options.watch ?? this.#config.watch;
  }

  async #follow(): Promise<void> {
    if (!this.#isFollowing() || this.#closing !== undefined) return;
    await Promise.all([this.#plugins.follow(), this.#follower?.start()]);
  }

  #addBuiltIns(store: TextStore, all: ToolSource): void {
    const { limits, locale } = this.#config;
    const tokens = this.#options.resultTokens;
    this.#addBuiltIn(createReadMoreTool({ store, catalogue: CATALOGUES[locale], limits, tokens }));
    this.#addBuiltIn(createSearchTool({ all, limits }));
  }

  #addBuiltIn(tool: Tool): void {
    this.catalog.apply([
      { source: `builtin:${tool.manifest.name}`, origin: 'builtin', state: { kind: 'good', tool } },
    ]);
  }

  #lookup(name: string, view: CallView = this.#view): Lookup {
    const tool = this.catalog.lookup(name);
    // What can't be called now is in no view; it is named to those who may see everything.
    const isSeen = view === this.#view || (tool !== undefined && view.has(name));
    if (tool !== undefined && isSeen) return { kind: 'tool', tool };
    const entry = this.catalog.get(name);
    const trouble = entry === undefined && isSeen ? this.#servers.troubleOf(name) : undefined;
    if (trouble !== undefined) return { kind: 'unavailable', reason: trouble };
    if (!isSeen || entry === undefined) return { kind: 'unknown', visible: view.names() };
    return { kind: 'unavailable', reason: this.#reasonFor(entry) };
  }

  #trace(executor: Executor, request: CallRequest): Promise<CallResult> {
    const { name, id } = request;
    return this.#telemetry.trace({ name, ...(id === undefined ? {} : { id }) }, (span) =>
      executor.call(request, (record) => span.setArguments(record.arguments)),
    );
  }

  /** For a model: places as it would write them, nothing of this machine. */
  #reasonFor({ state, problems: [problem] }: CatalogEntry): string {
    if (state === 'held') return 'it is held back until the operator consents to it';
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
      const own = mapping.toolName(name);
      if (own !== undefined)
        return restored({ ...request, name: own }, () => mapping.restore(name, request.arguments));
    }
    return request;
  }
}

/** Arguments that can't be read, as those that hold themselves, are refused by the call as they are. */
function restored(request: CallRequest, restore: () => Pick<CallRequest, 'name' | 'arguments'>): CallRequest {
  try {
    return { ...request, ...restore() };
  } catch {
    return request;
  }
}

const EXPORTS_WITH_NAMES = ['openai', 'gemini'] as const;
