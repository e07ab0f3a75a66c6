import { type HttpServer, listenHttp, McpService } from '../adapters/mcp/server/index.ts';
import type { Selection } from '../catalog/view.ts';
import { createHost } from '../host.ts';
import { readVersion } from '../version.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { waitForInterrupt } from './interruption.ts';
import { oneLine, say, sayLog } from './output.ts';

export interface ServeOptions extends Pick<Selection, 'allow' | 'deny'> {
  readonly config?: string;
  readonly port: number;
  /** @defaultValue '127.0.0.1' */
  readonly host?: string;
  /** Further names that `Host` and `Origin` may have. */
  readonly hostName?: readonly string[];
  /** @defaultValue the environment's GLOVEBOX_TOKEN */
  readonly token?: string;
}

/** `glovebox serve`: serves MCP over HTTP until the process is told to end. */
export async function serve(options: ServeOptions): Promise<number> {
  const { config, allow, deny, port, hostName } = options;
  const host = options.host ?? '127.0.0.1';
  const token = options.token ?? process.env.GLOVEBOX_TOKEN;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('the token must be of visible ASCII characters, and not empty');
  if (token === undefined && !isLoopback(host))
    throw new UsageError(`others can reach ${host}: set a token (GLOVEBOX_TOKEN, or --token)`);
  await using tools = await createHost({
    ...(config === undefined ? {} : { config }),
    onProblem: ({ message }) => say(oneLine(message)),
    onLog: sayLog,
  });
  const selection = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const service = new McpService(tools, { selection, version: readVersion() });
  const server = await listen(service, {
    ...{ port, host },
    ...(hostName === undefined ? {} : { hostNames: hostName }),
    ...(token === undefined ? {} : { token }),
  });
  say(
    `MCP is served at ${server.url}${token === undefined ? '' : ', for those who have the token'}. Ctrl-C ends.`,
  );
  await waitForInterrupt();
  await server.close();
  service.close();
  return ExitCode.ok;
}

async function listen(...parts: Parameters<typeof listenHttp>): Promise<HttpServer> {
  try {
    return await listenHttp(...parts);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what node:net rejects with
    const [, { host, port }] = parts;
    if (code === undefined) throw error;
    throw new UsageError(`can't listen at ${host} port ${port} (${code})`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
