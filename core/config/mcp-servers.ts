import path from 'node:path';
import type { ApprovalRule } from '../plugin/manifest.ts';
import { type FoundProblem, printPath } from './check-config.ts';
import type { JsonPath } from './json-text.ts';

/**
 * What the tools of a server need before they may be called.
 *
 * - `declared`: nothing; the server is your own, and its changes are followed at once.
 * - `first_use`: what it offers when it is first seen is written to registry.lock.json; whatever changes or comes
 *   later is held until `glovebox grant`.
 * - `granted`: everything is held until `glovebox grant`.
 */
export type ServerTrust = 'declared' | 'first_use' | 'granted';

/** One server as Claude Desktop, Cursor and VS Code write it; what only we have comes last. */
export interface McpServerInput {
  readonly type?: 'stdio' | 'http' | 'streamable-http' | 'streamableHttp' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | number | boolean>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly description?: string;
  readonly alwaysAllow?: readonly string[];
  readonly autoApprove?: readonly string[];
  readonly disabledTools?: readonly string[];
  readonly trust?: ServerTrust;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly timeoutMs?: number;
  readonly startTimeoutMs?: number;
  readonly approval?: ApprovalRule;
}

/** How a server is reached, before any variable is filled in. */
export type ServerAddress =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly envFile: string | undefined;
      /** As it is written; relative to the config's folder, which is its default. */
      readonly cwd: string | undefined;
    }
  | {
      /** `any`: the config doesn't say; Streamable HTTP first, then the older SSE. */
      readonly kind: 'http' | 'sse' | 'any';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** One server of `mcpServers`, checked and with every default in place. */
export interface McpServerSettings {
  readonly name: string;
  readonly address: ServerAddress;
  /** @defaultValue 'first_use' */
  readonly trust: ServerTrust;
  /** Patterns of the server's own tool names; undefined: all. */
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  /** Wall time of one call, milliseconds; cut at the ceiling. @defaultValue 60000 */
  readonly timeoutMs: number;
  /** From its start until its tools are known, milliseconds. @defaultValue 30000 */
  readonly startTimeoutMs: number;
  /** For all of its tools, above what they say of themselves. */
  readonly approval: ApprovalRule | undefined;
  /** Own names of tools that are never asked about (`alwaysAllow`, `autoApprove`). */
  readonly alwaysAllow: readonly string[];
}

export const MCP_SERVER_DEFAULTS = {
  trust: 'first_use',
  timeoutMs: 60_000,
  startTimeoutMs: 30_000,
} as const satisfies McpServerInput;

type Servers = Readonly<Record<string, McpServerInput>>;

export interface McpServersInput {
  readonly mcpServers?: Servers;
  /** VS Code's name for the same. */
  readonly servers?: Servers;
}

/** What the schema can't say of servers. */
export function findServerProblems({ mcpServers = {}, servers = {} }: McpServersInput): FoundProblem[] {
  const problems: FoundProblem[] = [];
  const add = (segments: JsonPath, message: string) =>
    problems.push({ path: printPath(segments), segments, message });
  for (const name of Object.keys(servers)) {
    if (Object.hasOwn(mcpServers, name)) add(['servers', name], 'is in "mcpServers" too; keep one of them');
  }
  for (const [key, group] of Object.entries({ mcpServers, servers })) {
    for (const [name, server] of Object.entries(group)) {
      if (!isServerName(name)) add([key, name], 'must be named with 1 to 64 printable characters');
      for (const { at, message } of explainServer(server)) add([key, name, ...at], message);
    }
  }
  return problems;
}

function isServerName(name: string): boolean {
  return name !== '' && name.length <= 64 && name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
}

const LOCAL_KEYS = ['args', 'env', 'envFile', 'cwd'] as const;

function explainServer(server: McpServerInput): { at: readonly string[]; message: string }[] {
  const { type, command, url } = server;
  if (command !== undefined && url !== undefined)
    return [{ at: [], message: 'has a "command" and a "url": a server is started or reached, not both' }];
  if (command === undefined && url === undefined)
    return [{ at: [], message: 'lacks "command" (a server to start) or "url" (one to reach)' }];
  if (type !== undefined && (type === 'stdio') !== (command !== undefined)) {
    const needed = type === 'stdio' ? 'command' : 'url';
    return [{ at: ['type'], message: `is "${type}", which goes with "${needed}"` }];
  }
  if (command !== undefined && server.headers !== undefined)
    return [{ at: ['headers'], message: 'have no effect on a server that is started; use "env"' }];
  const unused = url === undefined ? [] : LOCAL_KEYS.filter((key) => server[key] !== undefined);
  return unused.map((key) => ({ at: [key], message: 'has no effect on a server that is reached by "url"' }));
}

/** The servers that are to run: `disabled` ones are left out. */
export function readServers({
  mcpServers = {},
  servers = {},
}: McpServersInput): readonly McpServerSettings[] {
  return Object.entries({ ...servers, ...mcpServers })
    .filter(([, server]) => server.disabled !== true)
    .map(([name, server]) => ({
      name,
      address: addressOf(server),
      trust: server.trust ?? MCP_SERVER_DEFAULTS.trust,
      allow: server.allow,
      deny: [...(server.deny ?? []), ...(server.disabledTools ?? [])],
      timeoutMs: server.timeoutMs ?? MCP_SERVER_DEFAULTS.timeoutMs,
      startTimeoutMs: server.startTimeoutMs ?? MCP_SERVER_DEFAULTS.startTimeoutMs,
      approval: server.approval,
      alwaysAllow: [...(server.alwaysAllow ?? []), ...(server.autoApprove ?? [])],
    }));
}

function addressOf(server: McpServerInput): ServerAddress {
  const { type, command, args = [], env = {}, envFile, cwd, url = '', headers = {} } = server;
  if (command !== undefined) {
    const texts = Object.entries(env).map(([name, value]) => [name, String(value)] as const);
    return { kind: 'stdio', command, args, env: Object.fromEntries(texts), envFile, cwd };
  }
  if (type === undefined || type === 'stdio') return { kind: 'any', url, headers };
  return { kind: type === 'sse' ? 'sse' : 'http', url, headers };
}

/** The approval rules that the servers' own settings come to, for after those of `approval.rules`. */
export function serverApprovalRules(
  servers: readonly McpServerSettings[],
): readonly { readonly tools: string; readonly approval: ApprovalRule }[] {
  return servers.flatMap(({ name, approval, alwaysAllow }) => [
    ...alwaysAllow.map((tool) => ({ tools: `${name}.${tool}`, approval: 'never' as const })),
    ...(approval === undefined ? [] : [{ tools: `${name}.*`, approval }]),
  ]);
}

/** A path of a server's settings, from the config's folder. */
export function serverPath(baseDir: string, written: string | undefined): string {
  return path.resolve(baseDir, written ?? '.');
}
