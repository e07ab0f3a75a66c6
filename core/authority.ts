import path from 'node:path';
import type { Authorisation, CallContext } from './call/call.ts';
import type { CallResult } from './call/result.ts';
import type { Tool } from './catalog/tool.ts';
import { CONFIG_FILE, type Config } from './config/index.ts';
import {
  type Connections,
  createBroker,
  createConnections,
  createStorage,
  DEFAULT_NET_LIMITS,
  environmentFor,
  NO_PERMISSIONS,
  type Policy,
  type ProtectedPaths,
  resolvePolicy,
  type Storage,
} from './permissions/index.ts';
import type { Manifest, PermissionRequest } from './plugin/manifest.ts';

export interface AuthorityOptions {
  readonly config: Config;
  readonly callTool: (
    name: string,
    args: unknown,
    signal: AbortSignal,
    call: CallContext,
    chain: readonly string[],
  ) => Promise<CallResult>;
  readonly onProblem?: (message: string) => void;
}

/** Where the host keeps what plugins store, beside the config. */
const DATA_DIRECTORY = '.glovebox';
const LOCK_FILE = 'registry.lock.json';

/** What each tool may do, and the services that do it on its behalf. One a host. */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #policies = new WeakMap<Tool, Policy>();
  /** Sockets are shared by the calls of one plugin and by nobody else. */
  readonly #connections = new Map<string, Connections>();
  readonly #protected: ProtectedPaths;
  #storage: Storage | undefined;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    const { baseDir, file, plugins } = options.config;
    const config = file ?? path.join(baseDir, CONFIG_FILE);
    this.#protected = {
      closed: [config, path.join(path.dirname(config), LOCK_FILE), path.join(baseDir, DATA_DIRECTORY)],
      readOnly: plugins.map(({ dir }) => dir),
    };
  }

  /** Settles what a plugin version may do: request ∩ grant. With a wrong request or grant it may do nothing. */
  admit(tool: Tool, manifest: Manifest, grant: PermissionRequest | 'as_requested'): void {
    const resolved = resolvePolicy(manifest.permissions, grant);
    if (resolved.ok) {
      this.#policies.set(tool, resolved.policy);
      return;
    }
    const [problem] = resolved.problems;
    this.#options.onProblem?.(
      `the permissions of ${manifest.name} are wrong, so it has none: ${problem?.in} ${problem?.path} ${problem?.message}`,
    );
  }

  /** The capabilities of one call. They end with it. */
  authorise(tool: Tool, call: CallContext): Authorisation {
    const policy = this.#policies.get(tool) ?? (tool.origin === 'plugin' ? NO_PERMISSIONS : EVERY_TOOL);
    const plugin = tool.manifest.name;
    const chain = [...call.chain, plugin];
    const { broker, hostError, redact } = createBroker({
      policy,
      plugin,
      chain,
      baseDir: this.#options.config.baseDir,
      protectedPaths: this.#protected,
      callTool: (name, args, signal) => this.#options.callTool(name, args, signal, call, chain),
      ...(policy.storageBytes > 0 ? { storage: this.#openStorage() } : {}),
      ...(policy.net.requested.length > 0 ? { connections: this.#connectionsOf(plugin) } : {}),
    });
    return { kind: 'granted', env: environmentFor(policy, process.env), broker, hostError, redact };
  }

  async close(): Promise<void> {
    this.#storage?.close();
    await Promise.all([...this.#connections.values()].map((connections) => connections.close()));
  }

  #openStorage(): Storage {
    this.#storage ??= createStorage({
      dir: path.join(this.#options.config.baseDir, DATA_DIRECTORY, 'storage'),
    });
    return this.#storage;
  }

  #connectionsOf(plugin: string): Connections {
    const known = this.#connections.get(plugin);
    if (known !== undefined) return known;
    const connections = createConnections({ headerBytes: DEFAULT_NET_LIMITS.headerBytes });
    this.#connections.set(plugin, connections);
    return connections;
  }
}

/** Functions of the host's own process could call any tool anyway. */
const EVERY_TOOL = everyTool();

function everyTool(): Policy {
  const resolved = resolvePolicy({ tools: ['*'] }, 'as_requested');
  if (!resolved.ok) throw new TypeError('a policy of our own is wrong');
  return resolved.policy;
}
