import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createServer, followChanges } from './create-server.ts';
import type { McpService } from './service.ts';

export interface SessionLimits {
  /** Most sessions at once. @defaultValue 128 */
  readonly sessions?: number;
  /** How long a session lives that nobody uses, milliseconds. @defaultValue 1800000 */
  readonly sessionIdleMs?: number;
}

const MOST_SESSIONS = 128;
const IDLE_MS = 30 * 60_000;
/** A session that was used this recently is not given up for a new one. */
const SAFE_MS = 10_000;

/** One client before 2026-07-28, over HTTP. */
export class HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** Requests and streams that are open. */
  #open = 0;
  #usedAt = performance.now();

  constructor(transport: WebStandardStreamableHTTPServerTransport, server: Server) {
    this.transport = transport;
    this.server = server;
  }

  /** Milliseconds without anything open. */
  get idleMs(): number {
    return this.#open > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Holds the session until the returned function is called. */
  hold(): () => void {
    this.#open += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#open -= 1;
      this.#usedAt = performance.now();
    };
  }
}

/** The sessions of one HTTP server: never more than so many, none for longer than it is used. */
export class HttpSessions {
  readonly #service: McpService;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(service: McpService, { sessions = MOST_SESSIONS, sessionIdleMs = IDLE_MS }: SessionLimits) {
    this.#service = service;
    this.#most = sessions;
    this.#idleMs = sessionIdleMs;
    this.#sweep = setInterval(() => this.#expire(), Math.max(10, Math.min(sessionIdleMs / 2, 60_000)));
    this.#sweep.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** A session for a client that initialises, or undefined when all are in use. */
  async open(): Promise<HttpSession | undefined> {
    if (this.#sessions.size >= this.#most && !this.#giveUpOne()) return undefined;
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    // Plugins see the session's name, so it is not the id, which opens it.
    const connection = { era: 'legacy', session: `mcp:${randomUUID()}` } as const;
    const server = createServer(this.#service, connection);
    followChanges(server, this.#service, connection);
    const session = new HttpSession(transport, server);
    this.#sessions.set(id, session);
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#sessions.delete(id);
      onclose?.();
    };
    return session;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map((session) => end(session)));
    this.#sessions.clear();
  }

  #expire(): void {
    for (const session of [...this.#sessions.values()]) if (session.idleMs > this.#idleMs) void end(session);
  }

  #giveUpOne(): boolean {
    const [idlest] = [...this.#sessions.entries()].sort(([, one], [, other]) => other.idleMs - one.idleMs);
    if (idlest === undefined || idlest[1].idleMs < Math.min(SAFE_MS, this.#idleMs)) return false;
    this.#sessions.delete(idlest[0]);
    void end(idlest[1]);
    return true;
  }
}

async function end({ server }: HttpSession): Promise<void> {
  await server.close().catch(() => undefined); // it has ended by itself
}
