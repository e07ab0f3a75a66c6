import { Console } from 'node:console';
import { connectStdio, McpService } from '../adapters/mcp/server/index.ts';
import type { Selection } from '../catalog/view.ts';
import { createHost } from '../host.ts';
import { readVersion } from '../version.ts';
import { ExitCode } from './exit-code.ts';
import { waitForInterrupt } from './interruption.ts';
import { oneLine, say, sayLog } from './output.ts';

export interface McpCommandOptions extends Pick<Selection, 'allow' | 'deny'> {
  readonly config?: string;
}

/** `glovebox mcp`: serves one MCP client over stdin and stdout, until it goes or the process is told to end. */
export async function mcp({ config, allow, deny }: McpCommandOptions): Promise<number> {
  // Whatever a library prints in this process would be a broken message to the client.
  globalThis.console = new Console(process.stderr);
  await using host = await createHost({
    ...(config === undefined ? {} : { config }),
    onProblem: ({ message }) => say(oneLine(message)),
    onLog: sayLog,
  });
  const selection = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const service = new McpService(host, { selection, version: readVersion() });
  const connection = connectStdio(service, { input: process.stdin, output: process.stdout });
  await waitForInterrupt(connection.closed);
  await connection.close();
  service.close();
  return ExitCode.ok;
}
