import { getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { rotatedPath } from './audit/files.ts';
import type { Authorisation, CallContext } from './call/call.ts';
import type { CallResult } from './call/result.ts';
import type { Tool } from './catalog/tool.ts';
import { type Config, configPathOf, dataPathOf, lockPathOf } from './config/index.ts';
import {
  type CallBroker,
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
  /** The name of the tool that is meant by one that an export made legal. */
  readonly ownNameOf: (name: string) => string;
  readonly onProblem?: (message: string) => void;
}

/** What the operator grants a plugin; asked anew when the config has changed. */
export type GrantOf = () => PermissionRequest | 'as_requested';

/** What each tool may do, and the services that do it on its behalf. One a host. */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #grants = new WeakMap<Tool, GrantOf>();
  #policies = new WeakMap<Tool, Policy>();
  /** Sockets are shared by the calls of one plugin and by nobody else. */
  readonly #connections = new Map<string, Connections>();
  readonly #protected: ProtectedPaths;
  #storage: Storage | undefined;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    const { config } = options;
    const { audit } = config;
    const auditFiles =
      audit === undefined ? [] : range(audit.maxFiles).map((n) => rotatedPath(audit.path, n));
    this.#protected = {
      closed: [
        ...[configPathOf(config), lockPathOf(config), dataPathOf(config), ...auditFiles],
        // What Node runs without asking whose it is.
        ...compileCaches(),
        // The host's own environment and memory.
        ...(process.platform === 'linux' ? ['/proc', '/sys'] : []),
      ],
      readOnly: config.plugins.flatMap(({ dir }) => [dir, ...packagesAbove(dir)]),
    };
  }

  /** Settles what a plugin version may do: request ∩ grant. With a wrong request or grant it may do nothing. */
  admit(tool: Tool, grantOf: GrantOf): void {
    this.#grants.set(tool, grantOf);
    const { net } = this.#policyOf(tool);
    // Now, not in the first call: its time is not for loading what it connects with.
    if (net.requested.length > 0) this.#connectionsOf(tool.manifest.name);
  }

  /** Grants have changed: calls that begin from now on have what they are now. */
  regrant(): void {
    this.#policies = new WeakMap();
  }

  #policyOf(tool: Tool): Policy {
    const known = this.#policies.get(tool);
    if (known !== undefined) return known;
    const grantOf = this.#grants.get(tool);
    const policy =
      grantOf === undefined
        ? tool.origin === 'plugin'
          ? NO_PERMISSIONS
          : EVERY_TOOL
        : this.#resolve(tool.manifest, grantOf());
    this.#policies.set(tool, policy);
    return policy;
  }

  #resolve(manifest: Manifest, grant: ReturnType<GrantOf>): Policy {
    const resolved = resolvePolicy(manifest.permissions, grant);
    if (resolved.ok) return resolved.policy;
    const [problem] = resolved.problems;
    this.#options.onProblem?.(
      `the permissions of ${manifest.name} are wrong, so it has none: ${problem?.in} ${problem?.path} ${problem?.message}`,
    );
    return NO_PERMISSIONS;
  }

  /** The capabilities of one call. They end with it. */
  authorise(tool: Tool, call: CallContext): Authorisation {
    const policy = this.#policyOf(tool);
    const env = environmentFor(policy, process.env);
    // Most calls ask the host for nothing; what does it for them is made when one does.
    let made: CallBroker | undefined;
    const broker = () => {
      made ??= this.#brokerOf(tool, policy, call);
      return made;
    };
    // These show in the audit, and in what is to be redacted, without being asked for.
    if (policy.env.length > 0 || Object.keys(policy.secrets).length > 0) broker();
    return {
      kind: 'granted',
      env,
      broker: (hostCall) => broker().broker(hostCall),
      hostError: (number) => made?.hostError(number),
      uses: () => made?.uses() ?? [],
      ...(made === undefined ? {} : { redact: made.redact }),
    };
  }

  #brokerOf(tool: Tool, policy: Policy, call: CallContext): CallBroker {
    const plugin = tool.manifest.name;
    const chain = [...call.chain, plugin];
    return createBroker({
      policy,
      plugin,
      chain,
      baseDir: this.#options.config.baseDir,
      protectedPaths: this.#protected,
      callTool: (name, args, signal) => this.#options.callTool(name, args, signal, call, chain),
      ownNameOf: this.#options.ownNameOf,
      ...(policy.storageBytes > 0 ? { storage: this.#openStorage() } : {}),
      ...(policy.net.requested.length > 0 ? { connections: this.#connectionsOf(plugin) } : {}),
    });
  }

  async close(): Promise<void> {
    this.#storage?.close();
    await Promise.all([...this.#connections.values()].map((connections) => connections.close()));
  }

  #openStorage(): Storage {
    this.#storage ??= createStorage({
      dir: path.join(dataPathOf(this.#options.config), 'storage'),
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

/** Where this process keeps what Node compiled, and where the command line does (bin/compile-cache.js). */
function compileCaches(): readonly string[] {
  const { XDG_CACHE_HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const home = path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homedir(), '.cache');
  const inUse = getCompileCacheDir();
  return [
    path.join(home, 'glovebox'),
    ...(NODE_COMPILE_CACHE === '' ? [] : [path.resolve(NODE_COMPILE_CACHE)]),
    ...(inUse === undefined ? [] : [inUse]),
  ];
}

/** Where a plugin's imports may lead, which makes what lies there its code; the host's own packages too. */
function packagesAbove(dir: string): readonly string[] {
  const above = path.dirname(dir);
  return above === dir ? [] : [path.join(above, 'node_modules'), ...packagesAbove(above)];
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Functions of the host's own process could call any tool anyway. */
const EVERY_TOOL = everyTool();

function everyTool(): Policy {
  const resolved = resolvePolicy({ tools: ['*'] }, 'as_requested');
  if (!resolved.ok) throw new TypeError('a policy of our own is wrong');
  return resolved.policy;
}
