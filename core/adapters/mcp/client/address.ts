import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { type McpServerSettings, type ServerAddress, serverPath } from '../../../config/mcp-servers.ts';
import { boundedFetch } from './bounded-fetch.ts';
import {
  addUrlSecrets,
  type Expansion,
  expandTable,
  expandText,
  type VariableSource,
} from './expand-variables.ts';
import { resolveCommand } from './resolve-command.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How to reach one server, variables filled in. */
export interface Route {
  readonly isStdio: boolean;
  /** One way after the other, until one connects. Each makes a new transport. */
  readonly ways: readonly (() => Transport)[];
  /** Values that must not be seen. */
  readonly secrets: ReadonlySet<string>;
}

export type RouteResult =
  | { readonly ok: true; readonly route: Route }
  | { readonly ok: false; readonly message: string };

export interface RouteOptions {
  /** The config's folder. */
  readonly baseDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxMessageBytes: number;
}

/** Finds out how to reach a server. Done anew at each start: variables and programs may have changed. */
export async function routeTo({ address }: McpServerSettings, options: RouteOptions): Promise<RouteResult> {
  const source: VariableSource = { env: options.env, folder: options.baseDir };
  const expansion: Expansion = { secrets: new Set(), problems: [] };
  return address.kind === 'stdio'
    ? localRoute(address, options, source, expansion)
    : remoteRoute(address, options, source, expansion);
}

async function localRoute(
  address: Extract<ServerAddress, { kind: 'stdio' }>,
  { baseDir, env: hostEnv, maxMessageBytes }: RouteOptions,
  source: VariableSource,
  expansion: Expansion,
): Promise<RouteResult> {
  const fill = (text: string) => expandText(text, source, expansion);
  const file =
    address.envFile === undefined ? {} : await readEnvFile(serverPath(baseDir, fill(address.envFile)));
  if (file === undefined) return { ok: false, message: "its envFile can't be read" };
  const env = {
    ...expandTable(file, { ...source, env: {} }, { ...expansion, problems: [] }),
    ...expandTable(address.env, source, expansion),
  };
  const command = fill(address.command);
  const args = address.args.map(fill);
  const cwd = serverPath(baseDir, address.cwd === undefined ? undefined : fill(address.cwd));
  const [problem] = expansion.problems;
  if (problem !== undefined) return { ok: false, message: problem };
  const resolved = await resolveCommand(command, cwd, env.PATH ?? hostEnv.PATH ?? '');
  if (!resolved.ok) return resolved;
  const whole =
    resolved.searchPath === undefined || env.PATH !== undefined ? env : { ...env, PATH: resolved.searchPath };
  const way = () => new StdioTransport({ file: resolved.file, args, cwd, env: whole, maxMessageBytes });
  return { ok: true, route: { isStdio: true, ways: [way], secrets: expansion.secrets } };
}

async function readEnvFile(file: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const table: Record<string, string> = {};
    for (const [name, value] of Object.entries(parseEnv(await readFile(file, 'utf8'))))
      if (value !== undefined) table[name] = value;
    return table;
  } catch {
    return undefined;
  }
}

function remoteRoute(
  address: Exclude<ServerAddress, { kind: 'stdio' }>,
  { maxMessageBytes }: RouteOptions,
  source: VariableSource,
  expansion: Expansion,
): RouteResult {
  const text = expandText(address.url, source, expansion);
  const headers = expandTable(address.headers, source, expansion);
  const [problem] = expansion.problems;
  if (problem !== undefined) return { ok: false, message: problem };
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { ok: false, message: 'its url is no http(s) address' };
  addUrlSecrets(url, expansion.secrets);
  const options = { requestInit: { headers }, fetch: boundedFetch(maxMessageBytes) };
  const http = () => new StreamableHTTPClientTransport(url, options);
  const sse = () => new SSEClientTransport(url, options);
  const ways = { http: [http], sse: [sse], any: [http, sse] }[address.kind];
  return { ok: true, route: { isStdio: false, ways, secrets: expansion.secrets } };
}
