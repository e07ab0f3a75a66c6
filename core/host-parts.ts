import { createAuditLog, createTelemetry } from './audit/index.ts';
import { Authority } from './authority.ts';
import type { CallRequest } from './call/call.ts';
import type { Executor } from './call/executor.ts';
import { CATALOGUES } from './call/messages/catalogues.ts';
import { createReadMoreTool } from './call/result/read-more.ts';
import { createTextStore, type TextStore } from './call/result/text-store.ts';
import type { CallResult } from './call/result.ts';
import { Catalog } from './catalog/catalog.ts';
import { createSearchTool, ToolSearch } from './catalog/search.ts';
import type { Tool } from './catalog/tool.ts';
import { createView } from './catalog/view.ts';
import type { Config } from './config/index.ts';
import { ConfigFollower } from './config-follower.ts';
import type { HostOptions } from './host-options.ts';
import { Inspector } from './inspect/index.ts';
import { McpSources } from './mcp-sources.ts';
import { createPipeline, type PipelineParts } from './pipeline.ts';
import { PluginSources } from './plugin-sources.ts';
import { Prompts } from './prompts/prompts.ts';
import { lookupCall } from './resources/offer-calls.ts';
import { Resources } from './resources/resources.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { ToolFinder } from './tool-finder.ts';

type RunCall = (request: CallRequest) => Promise<CallResult>;

export type HostParts = ReturnType<typeof createHostParts>;

export interface HostPartsOptions {
  readonly config: Config;
  readonly options: HostOptions;
  readonly sandbox: Sandbox;
  /** The host's own way in, for what a tool calls. */
  readonly call: RunCall;
  /** Resolves once the plugins have been read. */
  readonly loaded: () => Promise<void>;
}

/** Makes what a host consists of, and joins it. No plugin has been looked at after this. */
export function createHostParts({ config, options, sandbox, call, loaded }: HostPartsOptions) {
  const { locale, limits } = config;
  const { onProblem, onLoading, resultTokens: tokens } = options;
  const tell = (message: string) => onProblem?.({ message });
  const telling = onProblem === undefined ? {} : { onProblem };
  const catalog = new Catalog();
  const all = { list: () => catalog.tools() };
  const view = createView(all);
  const finder = new ToolFinder({
    ...{ catalog, everything: view, baseDir: config.baseDir },
    troubleOf: (name) => servers.troubleOf(name),
  });
  const authority = new Authority({
    config,
    callTool: (name, args, signal, { session, ask }, chain) =>
      call({
        ...{ name, arguments: args, signal, chain },
        ...(session === undefined ? {} : { session }),
        ...(ask === undefined ? {} : { ask }),
      }),
    ownNameOf: (name) => finder.underOwnName({ name }).name,
    onProblem: tell,
  });
  const audit = config.audit && createAuditLog({ ...config.audit, onProblem: tell });
  const shared: Shared = {
    ...{ config, options },
    authorise: (tool, context) => authority.authorise(tool, context),
    write: (entry) => audit?.write(entry),
  };
  const store = createTextStore({});
  const { run, read } = createRunners(shared, store, catalog, finder);
  const offers = { catalog, locale, loaded, call: read, onProblem: tell };
  const resources = new Resources(offers);
  const prompts = new Prompts(offers);
  addBuiltIn(catalog, createReadMoreTool({ store, catalogue: CATALOGUES[locale], limits, tokens }));
  addBuiltIn(catalog, createSearchTool({ all, limits }));
  const inspector = options.inspect && new Inspector(options.inspect);
  const plugins = new PluginSources({
    ...{ config, catalog, sandbox, authority, inspector },
    ...(onLoading === undefined ? {} : { onLoading }),
    ...telling,
  });
  const servers = new McpSources({ config, apply: (updates) => catalog.apply(updates), ...telling });
  const follows = {
    onConfig: (changed: Config) => plugins.regrant(changed.plugins),
    onLock: () => {
      plugins.recheck();
      servers.recheck();
    },
  };
  const isFollowing = options.watch ?? config.watch;
  const follower = isFollowing ? new ConfigFollower({ config, ...follows, ...telling }) : undefined;
  return {
    ...{ catalog, resources, prompts, search: new ToolSearch(all), view, finder, run },
    ...{ plugins, servers, follower, inspector, authority, audit },
  };
}

type Shared = Pick<PipelineParts, 'config' | 'options' | 'authorise' | 'write'>;

/** What runs tools, and what reads resources and prompts. */
function createRunners(shared: Shared, store: TextStore, catalog: Catalog, finder: ToolFinder) {
  const traced = tracer(shared.config);
  const run = createPipeline({ ...shared, store, lookup: (name, view) => finder.lookup(name, view) });
  const read = createPipeline({
    ...shared,
    // Nothing of what is read waits for a model's `read_more`.
    store: createTextStore({ maxChars: 0 }),
    lookup: (name) => lookupCall(catalog, name, (entry) => finder.reasonFor(entry)),
    isReading: true,
  });
  return { run: traced(run), read: traced(read) };
}

function addBuiltIn(catalog: Catalog, tool: Tool): void {
  catalog.apply([
    { source: `builtin:${tool.manifest.name}`, origin: 'builtin', state: { kind: 'good', tool } },
  ]);
}

/** Lets the telemetry see each call of a pipeline. */
function tracer({ telemetry: recorded }: Config): (executor: Executor) => RunCall {
  const telemetry = createTelemetry({
    recordArguments: recorded.arguments,
    recordResults: recorded.results,
  });
  return (executor) => (request) => {
    const { name, id } = request;
    return telemetry.trace({ name, ...(id === undefined ? {} : { id }) }, (span) =>
      executor.call(request, (record) => span.setArguments(record.arguments)),
    );
  };
}
