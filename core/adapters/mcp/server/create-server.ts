import { Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Connection } from './connection.ts';
import { installCompletion, installPrompts } from './prompts.ts';
import { installResources } from './resources.ts';
import type { ListKind, McpService } from './service.ts';
import { installTools } from './tools.ts';

/** Making one takes longer than all else of an instance, and over HTTP there is an instance a request. */
const VALIDATOR = new AjvJsonSchemaValidator();

/**
 * The server that answers one client (or one request), in either era of the protocol: up to 2025-11-25 with
 * `initialize`, and 2026-07-28. Low-level handlers over the catalogue: what is listed is what it holds at that moment.
 */
export function createServer(service: McpService, connection: Connection): Server {
  const { resources, prompts } = service.source;
  const server = new Server(
    { name: 'glovebox', title: 'Glovebox', version: service.version },
    {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        ...(resources === undefined ? {} : { resources: { subscribe: true, listChanged: true } }),
        ...(prompts === undefined ? {} : { prompts: { listChanged: true } }),
        ...(resources === undefined && prompts === undefined ? {} : { completions: {} }),
      },
      jsonSchemaValidator: VALIDATOR,
      requestState: {
        verify: (state) => {
          if (service.openCalls.find(state) === undefined) throw new Error('no call waits under this state');
          return state;
        },
      },
    },
  );
  installTools(server, service, connection);
  if (resources !== undefined) installResources(server, service, connection, resources);
  if (prompts !== undefined) installPrompts(server, service, connection, prompts);
  if (resources !== undefined || prompts !== undefined) installCompletion(server, service, connection);
  return server;
}

/** Tells this client of every list that changes, from when it is ready for it until it goes. */
export function followChanges(server: Server, service: McpService, { era }: Connection): void {
  let stop: (() => void) | undefined;
  const start = (): void => {
    stop ??= service.onListChanged((kind) => {
      SENDERS[kind](server).catch(() => undefined); // the connection has ended meanwhile
    });
  };
  if (era === 'modern') start();
  else server.oninitialized = start;
  const { onclose } = server;
  server.onclose = () => {
    stop?.();
    onclose?.();
  };
}

const SENDERS: Readonly<Record<ListKind, (server: Server) => Promise<void>>> = {
  tools: (server) => server.sendToolListChanged(),
  resources: (server) => server.sendResourceListChanged(),
  prompts: (server) => server.sendPromptListChanged(),
};
