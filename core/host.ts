import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type RunnableToolsOptions, runnableTools } from './agent/index.ts';
import type { CallRequest } from './call/call.ts';
import { createFunctionTool, type FunctionToolDefinition, type ToolFunction } from './call/function-tool.ts';
import { readRequest } from './call/read-request.ts';
import { loadTokenCounter } from './call/result/token-counter.ts';
import type { CallResult } from './call/result.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { FoundTool, SearchOptions } from './catalog/search.ts';
import type { Selection, View } from './catalog/view.ts';
import { type Config, formatConfigProblems, type Locale, readConfig } from './config/index.ts';
import { guardListeners } from './guard-listeners.ts';
import { ConfigError, checkHostOptions, type HostOptions } from './host-options.ts';
import { createHostParts, type HostParts } from './host-parts.ts';
import type { JsonSchema } from './plugin/manifest.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { Resources } from './resources/resources.ts';
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
  readonly catalog: Catalog;
  /** The resources of the plugin directories: listed, read, completed, subscribed to. */
  readonly resources: Resources;
  /** The prompts of the plugin directories: listed, filled, completed. */
  readonly prompts: Prompts;
  /** Resolves when every plugin directory has been read once. Never rejects: what is wrong is in the catalog. */
  readonly loaded: Promise<void>;
  /** Resolves after that, when changes are followed. Never rejects. */
  readonly ready: Promise<void>;
  readonly #config: Config;
  readonly #sandbox: Sandbox;
  readonly #parts: HostParts;
  #isLoaded = false;
  #closing: Promise<void> | undefined;

  /** Use {@link createHost}. */
  constructor(config: Config, options: HostOptions, sandbox: Sandbox) {
    this.#config = config;
    this.#sandbox = sandbox;
    this.#parts = createHostParts({
      ...{ config, options, sandbox },
      call: (request) => this.call(request),
      loaded: () => this.loaded,
    });
    const { catalog, resources, prompts, plugins, servers } = this.#parts;
    this.catalog = catalog;
    this.resources = resources;
    this.prompts = prompts;
    this.loaded = plugins.load().then(() => {
      this.#isLoaded = true;
    });
    const followed = this.loaded.then(() => this.#follow());
    this.ready = Promise.all([followed, servers.settled()]).then(() => undefined);
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
      ? this.#parts.run(read)
      : this.#callWhenKnown(read);
  }

  async #callWhenKnown(request: CallRequest): Promise<CallResult> {
    await this.loaded;
    const { servers, run, finder } = this.#parts;
    if (this.catalog.lookup(request.name) === undefined) await servers.waitFor(request.name);
    // What a tool calls was held against its policy by this name: no other one may be meant.
    const isFromTool = request.chain !== undefined && request.chain.length > 0;
    return run(isFromTool ? request : finder.underOwnName(request));
  }

  /** What one session or turn may see. Without a selection: everything. */
  view(selection?: Selection): View {
    const { view } = this.#parts;
    return selection === undefined ? view : view.narrow(selection);
  }

  search(query: string, options?: SearchOptions): FoundTool[] {
    return this.#parts.search.search(query, options);
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
    await this.#parts.plugins.settled();
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
    const { servers, inspector, plugins, follower, authority, audit } = this.#parts;
    await Promise.all([this.#sandbox.close(), servers.close(), inspector?.close()]);
    await this.ready;
    await Promise.all([plugins.close(), follower?.close()]);
    await authority.close();
    await audit?.close();
  }

  async #follow(): Promise<void> {
    const { plugins, follower } = this.#parts;
    if (follower === undefined || this.#closing !== undefined) return;
    await Promise.all([plugins.follow(), follower.start()]);
  }
}
