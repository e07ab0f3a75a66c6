/** A tool server as the official SDK's examples write one. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'bench', version: '1' });
server.registerTool(
  'add_one',
  { description: 'Adds one to a number.', inputSchema: z.object({ n: z.number().int() }) },
  ({ n }) => ({ content: [{ type: 'text', text: String(n + 1) }] }),
);
await server.connect(new StdioServerTransport());
