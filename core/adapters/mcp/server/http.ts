import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  localhostAllowedHostnames,
} from '@modelcontextprotocol/server';
import type { View } from '../../../catalog/view.ts';
import { createServer } from './create-server.ts';
import { readBody } from './http-body.ts';
import { createGuard, ENDPOINT, type Refusal } from './http-guards.ts';
import { HttpSessions, type SessionLimits } from './http-sessions.ts';
import { requestIdOf } from './json-text.ts';
import { listenedUris } from './listened-uris.ts';
import { findHeaderMismatch } from './parameter-headers.ts';
import { ResourceWatch } from './resource-watch.ts';
import { type McpService, publishChanges } from './service.ts';

export interface HttpOptions extends SessionLimits {
  /** 0: any that is free. */
  readonly port: number;
  /** Address to listen at. @defaultValue '127.0.0.1' */
  readonly host?: string;
  /** Further names that `Host` and `Origin` may have. @defaultValue those of the local machine, and `host` */
  readonly hostNames?: readonly string[];
  /** Bearer token that every request must bring. @defaultValue none is needed */
  readonly token?: string;
  /** Longest body of a request, bytes. @defaultValue 4194304 */
  readonly bodyBytes?: number;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Sessions that are open. */
  readonly sessions: number;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const BODY_BYTES = 4 * 1024 * 1024;
const MOST_CONNECTIONS = 512;
/** A client that sends its request slower than this holds a connection for nothing. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Serves MCP over Streamable HTTP, both eras at one endpoint: clients before 2026-07-28 with sessions (or without one,
 * each request for itself), later ones without.
 *
 * @throws the error of `listen` when the address can't be had.
 */
export async function listenHttp(service: McpService, options: HttpOptions): Promise<HttpServer> {
  const { host = LOOPBACK, port, hostNames = [], token, bodyBytes = BODY_BYTES } = options;
  const router = new Router(service, options);
  const guard = createGuard({
    hostNames: [...localhostAllowedHostnames(), inUrl(host), ...hostNames],
    ...(token === undefined ? {} : { token }),
  });
  const server = createHttpServer((request, response) => {
    const refusal = guard(request);
    if (refusal !== undefined) return refuse(request, response, refusal);
    router.answer(request, response, bodyBytes).catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo; // it listens at a port, not at a pipe
  return {
    url: `http://${inUrl(host)}:${address.port}${ENDPOINT}`,
    port: address.port,
    get sessions() {
      return router.sessions.size;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await router.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

class Router {
  readonly sessions: HttpSessions;
  readonly #view: View;
  readonly #watch: ResourceWatch | undefined;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #stateless: ReturnType<typeof legacyStatelessFallback>;
  readonly #endPublishing: () => void;

  constructor(service: McpService, limits: SessionLimits) {
    this.#view = service.view;
    this.sessions = new HttpSessions(service, limits);
    this.#modern = createMcpHandler(() => createServer(service, { era: 'modern' }), { legacy: 'reject' });
    this.#stateless = legacyStatelessFallback(() => createServer(service, { era: 'legacy' }));
    this.#endPublishing = publishChanges(service, this.#modern.bus);
    const { resources } = service.source;
    this.#watch =
      resources && new ResourceWatch(service, resources, (uri) => this.#modern.notify.resourceUpdated(uri));
  }

  async answer(request: IncomingMessage, response: ServerResponse, bodyBytes: number): Promise<void> {
    let body: unknown;
    if (request.method === 'POST') {
      const read = await readBody(request, bodyBytes);
      if (!read.ok) return refuse(request, response, read.refusal);
      body = read.value;
      this.#listen(body, response);
    }
    const id = request.headers['mcp-session-id'];
    await toNodeHandler({
      fetch: async (web, passed) => {
        if (!(await isLegacyRequest(web, passed?.parsedBody)))
          return this.#serveModern(web, request, body, passed);
        if (typeof id === 'string') return this.#inSession(id, web, response, passed);
        if (isInitializeRequest(body)) return this.#initialize(web, response, passed);
        return this.#stateless(web, passed);
      },
    })(withoutBody(request), headersFirst(response), body);
  }

  async close(): Promise<void> {
    this.#endPublishing();
    this.#watch?.close();
    await Promise.all([this.sessions.close(), this.#modern.close()]);
  }

  async #serveModern(
    web: Request,
    { headers }: IncomingMessage,
    body: unknown,
    passed?: Passed,
  ): Promise<Response> {
    const mismatch = findHeaderMismatch(this.#view, body, headers);
    if (mismatch === undefined) return this.#modern.fetch(web, passed);
    return errorResponse(
      { status: 400, code: HEADER_MISMATCH, message: `Header mismatch: ${mismatch}.` },
      body,
    );
  }

  async #inSession(id: string, web: Request, response: ServerResponse, passed?: Passed): Promise<Response> {
    const session = this.sessions.get(id);
    if (session === undefined)
      return errorResponse({ status: 404, code: -32_001, message: 'Session not found' });
    response.once('close', session.hold());
    return session.transport.handleRequest(web, passed);
  }

  async #initialize(web: Request, response: ServerResponse, passed?: Passed): Promise<Response> {
    const session = await this.sessions.open();
    if (session === undefined) return errorResponse(ALL_IN_USE);
    response.once('close', session.hold());
    const answer = await session.transport.handleRequest(web, passed);
    // What was no proper `initialize` opened nothing.
    if (!answer.ok) await session.server.close();
    return answer;
  }

  /** The SDK keeps the stream; what it carries of resources is published for as long as it is open. */
  #listen(body: unknown, response: ServerResponse): void {
    const uris = listenedUris(body);
    const end = uris.length === 0 ? undefined : this.#watch?.hold(uris);
    if (end !== undefined) response.once('close', end);
  }
}

type Passed = Parameters<ReturnType<typeof legacyStatelessFallback>>[1];

const ALL_IN_USE: Refusal = {
  ...{ status: 503, code: -32_000, message: 'All sessions are in use.' },
  headers: { 'retry-after': '10' },
};

/** As the protocol numbers it, from 2026-07-28 on. */
const HEADER_MISMATCH = -32_020;

function errorText({ code, message }: Refusal, body?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: requestIdOf(body), error: { code, message } });
}

function errorResponse(refusal: Refusal, body?: unknown): Response {
  const headers = { 'content-type': 'application/json', ...refusal.headers };
  return new Response(errorText(refusal, body), { status: refusal.status, headers });
}

/** The connection ends too where a body may still be coming, which nobody reads. */
function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...close, ...refusal.headers });
  response.end(errorText(refusal));
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** What the SDK needs of a request whose body was read here, or is not wanted. */
function withoutBody({ method = '', url = '', headers }: IncomingMessage) {
  const nothing = async function* (): AsyncGenerator<never> {};
  return { method, url, headers: { ...headers }, [Symbol.asyncIterator]: nothing };
}

/**
 * Sends the headers at once. Node keeps them until the first piece of a body, and a client that has opened a stream would
 * wait for news to learn that it is open.
 */
function headersFirst(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      if (headers?.['content-type'] === 'text/event-stream') response.flushHeaders();
    },
    write: (piece) => response.write(piece),
    end: (piece) => response.end(piece),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
