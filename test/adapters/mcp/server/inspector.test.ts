import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BIN, serve, workspace } from './fixture.ts';

const run = promisify(execFile);
const INSPECTOR = path.resolve(
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

/** The Inspector's own command line. */
async function inspect(target: readonly string[], request: readonly string[], cwd: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...target, ...request], { cwd });
  return JSON.parse(stdout);
}

test.each(['stdio', 'http'] as const)(
  'the MCP Inspector lists and calls our tools over %s',
  async (transport) => {
    const dir = await workspace('test_simple_text', 'test_image_content');
    const target =
      transport === 'stdio'
        ? [process.execPath, BIN, 'mcp']
        : [(await serve(dir)).url, '--transport', 'http'];
    const { tools } = (await inspect(target, ['--method', 'tools/list'], dir)) as {
      tools: { name: string }[];
    }; // MCP's own
    expect(tools.map(({ name }) => name)).toEqual([
      ...['read_more', 'search_tools', 'test_image_content', 'test_simple_text'],
    ]);
    const call = ['--method', 'tools/call', '--tool-name', 'test_simple_text'];
    expect(await inspect(target, call, dir)).toMatchObject({
      content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
    });
  },
);
