import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer, followChanges } from './create-server.ts';
import { LineTransport } from './line-transport.ts';
import { listenedUris } from './listened-uris.ts';
import { ResourceWatch } from './resource-watch.ts';
import type { McpService } from './service.ts';

export interface StdioStreams {
  readonly input: Readable;
  /** Carries the protocol and nothing else. */
  readonly output: Writable;
}

export interface StdioConnection {
  /** Resolves when the client has gone and its last answers are out. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client over a pair of streams, in the era that it opens with. */
export function connectStdio(service: McpService, streams: StdioStreams): StdioConnection {
  const transport = new LineTransport(streams);
  const session = `mcp:${randomUUID()}`;
  const listening = new Listening(service);
  transport.onreceived = (message) => listening.see(message);
  const handle = serveStdio(
    ({ era }) => {
      const connection = { era, session };
      const server = createServer(service, connection);
      followChanges(server, service, connection);
      listening.server = era === 'modern' ? server : undefined;
      return server;
    },
    { transport },
  );
  const closed = transport.closed.then(() => listening.close());
  return { closed, close: () => handle.close() };
}

/** The resources that a client of revision 2026-07-28 listens to: the SDK keeps the streams, this finds what goes in. */
class Listening {
  server: Server | undefined;
  readonly #watch: ResourceWatch | undefined;
  readonly #ends = new Map<RequestId, () => void>();

  constructor(service: McpService) {
    const { resources } = service.source;
    this.#watch =
      resources &&
      new ResourceWatch(service, resources, (uri) => {
        this.server?.sendResourceUpdated({ uri }).catch(() => undefined); // the connection has ended meanwhile
      });
  }

  see(message: JSONRPCMessage): void {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') this.#end(id);
    }
    const uris = listenedUris(message);
    if (!isJSONRPCRequest(message) || uris.length === 0) return;
    this.#end(message.id);
    const end = this.#watch?.hold(uris);
    if (end !== undefined) this.#ends.set(message.id, end);
  }

  close(): void {
    this.#watch?.close();
  }

  #end(id: RequestId): void {
    this.#ends.get(id)?.();
    this.#ends.delete(id);
  }
}
