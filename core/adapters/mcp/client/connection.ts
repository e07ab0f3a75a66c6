import {
  Client,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool as SdkTool,
  type Transport,
} from '@modelcontextprotocol/client';
import { context, propagation } from '@opentelemetry/api';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Route } from './address.ts';
import { exactArguments } from './exact-arguments.ts';
import { TOO_LARGE_CODE } from './stdio-transport.ts';
import { TappedTransport } from './tapped-transport.ts';

type Raw = Readonly<Record<string, unknown>>;

export interface ServerCall {
  /** As the server calls the tool. */
  readonly tool: string;
  /** As the server wrote it: it may say which arguments go into headers too. */
  readonly inputSchema: Raw;
  readonly argumentsJson: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export type ServerAnswer =
  | { readonly kind: 'result'; readonly result: Raw }
  /** The server answered that it could not. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** It answered what is no result, or asked for what nobody can give. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'too_large' }
  /** Nobody knows what became of it. */
  | { readonly kind: 'lost'; readonly message: string };

export interface ConnectOptions {
  readonly route: Route;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onToolsChanged: () => void;
}

/** Pages of a list that are read. */
const MOST_PAGES = 100;
/** An older server may take the first question of the newer protocol for noise and keep silent. */
const LONGEST_PROBE_MS = 10_000;
/** Deadlines are the caller's; the SDK's own must not come first. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** One session with one server, of either era of the protocol. */
export class Connection {
  /** Resolves with the reason when the session has ended, whoever ended it. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #tap: TappedTransport;
  readonly #end: (reason: string) => void;

  private constructor(client: Client, tap: TappedTransport, inner: Transport) {
    this.#client = client;
    this.#tap = tap;
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    this.#end = closed.resolve;
    client.onclose = () => closed.resolve(reasonOf(inner) ?? 'the connection was closed');
  }

  /** Rejects with what went wrong on the last way; nothing stays open then. */
  static async open(options: ConnectOptions): Promise<Connection> {
    let failure: unknown = new Error('there is no way to it');
    for (const way of options.route.ways) {
      try {
        return await Connection.#try(way, options);
      } catch (error) {
        failure = error;
        if (options.signal.aborted || isAnswer(error)) break;
      }
    }
    throw failure;
  }

  static async #try(way: () => Transport, options: ConnectOptions): Promise<Connection> {
    try {
      return await Connection.#connect(way(), options, {});
    } catch (error) {
      const endedAtProbe =
        options.route.isStdio &&
        error instanceof SdkError &&
        error.code === SdkErrorCode.EraNegotiationFailed;
      if (!endedAtProbe || options.signal.aborted) throw error;
      // Some older servers end at any request before `initialize`.
      return Connection.#connect(way(), options, { prior: { kind: 'legacy' } });
    }
  }

  static async #connect(
    inner: Transport,
    { signal, timeoutMs, onToolsChanged }: ConnectOptions,
    era: { prior?: { kind: 'legacy' } },
  ): Promise<Connection> {
    const tap = new TappedTransport(inner);
    const client = new Client(
      { name: packageJson.name, version: packageJson.version },
      {
        capabilities: {},
        versionNegotiation: {
          mode: 'auto',
          probe: { timeoutMs: Math.min(LONGEST_PROBE_MS, Math.ceil(timeoutMs / 2)) },
        },
      },
    );
    const connection = new Connection(client, tap, inner);
    client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
    // The probe listens to no signal, and a program that never answers must end all the same.
    const abort = (): void => void inner.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await client.connect(tap, { timeout: timeoutMs, signal, ...era });
    } catch (error) {
      await inner.close().catch(() => undefined);
      throw explained(error, inner);
    } finally {
      signal.removeEventListener('abort', abort);
    }
    if (client.getProtocolEra() === 'modern') void connection.#listen(onToolsChanged);
    return connection;
  }

  /** Does it pass arguments in headers too (the newer protocol over HTTP)? */
  get mirrorsHeaders(): boolean {
    return this.#client.getProtocolEra() === 'modern' && this.#tap.hasPerRequestStream;
  }

  /** The list as the server wrote it, up to `most` tools. */
  async listTools(most: number, signal: AbortSignal): Promise<{ tools: readonly unknown[]; more: boolean }> {
    const tools: unknown[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const standIn = await this.#client.request(
        { method: 'tools/list', params },
        { signal, timeout: NO_TIMEOUT_MS },
      );
      const raw = this.#tap.take(standIn);
      if (!Array.isArray(raw.tools)) throw new Error('its tools/list answers no list');
      for (const tool of raw.tools.slice(0, most - tools.length)) tools.push(tool);
      if (tools.length >= most) return { tools, more: raw.tools.length > 0 };
      if (typeof raw.nextCursor !== 'string' || seen.has(raw.nextCursor)) return { tools, more: false };
      cursor = raw.nextCursor;
      seen.add(cursor);
    }
    return { tools, more: true };
  }

  async call({ tool, inputSchema, argumentsJson, signal, onProgress }: ServerCall): Promise<ServerAnswer> {
    const carrier: Record<string, string> = {};
    propagation.inject(context.active(), carrier);
    try {
      const standIn = await this.#client.callTool(
        {
          name: tool,
          arguments: exactArguments(argumentsJson),
          ...(Object.keys(carrier).length === 0 ? {} : { _meta: carrier }),
        },
        {
          signal,
          timeout: NO_TIMEOUT_MS,
          onprogress: onProgress,
          // Only its headers are read, and it was checked when it was listed.
          toolDefinition: { name: tool, inputSchema: inputSchema as SdkTool['inputSchema'] },
        },
      );
      return { kind: 'result', result: this.#tap.take(standIn) };
    } catch (error) {
      return answerOf(error);
    }
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
    this.#end('it was closed');
  }

  /** In the newer protocol changes are told to those who listen. */
  async #listen(onToolsChanged: () => void): Promise<void> {
    if (this.#client.getServerCapabilities()?.tools?.listChanged !== true) return;
    let pause = 1_000;
    for (;;) {
      try {
        const subscription = await this.#client.listen({ toolsListChanged: true });
        const how = await subscription.closed;
        if (how === 'local') return;
        pause = 1_000;
      } catch {
        // The server may be down for a moment; if it is gone, calls find out.
      }
      const ended = await Promise.race([this.closed.then(() => true), delay(pause)]);
      if (ended) return;
      pause = Math.min(pause * 2, 60_000);
      onToolsChanged();
    }
  }
}

function delay(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds).unref();
  });
}

function reasonOf(inner: Transport): string | undefined {
  return 'reason' in inner && typeof inner.reason === 'string' ? inner.reason : undefined;
}

function explained(error: unknown, inner: Transport): unknown {
  const isEnd = error instanceof SdkError && error.code !== SdkErrorCode.RequestTimeout;
  if (!isEnd || reasonOf(inner) === undefined) return error;
  return error.code === SdkErrorCode.EraNegotiationFailed
    ? error
    : new Error(reasonOf(inner), { cause: error });
}

/** An answer that another transport would not change: who may not come in, may not come in. */
function isAnswer(error: unknown): boolean {
  if (error instanceof SdkHttpError) return [401, 403].includes(error.data.status);
  return error instanceof ProtocolError;
}

function answerOf(error: unknown): ServerAnswer {
  if (error instanceof ProtocolError) {
    return error.code === TOO_LARGE_CODE
      ? { kind: 'too_large' }
      : { kind: 'refused', code: error.code, message: error.message };
  }
  const message = error instanceof Error ? error.message : 'unknown reason';
  if (error instanceof RangeError) return { kind: 'too_large' };
  const unusable: readonly string[] = [
    SdkErrorCode.InvalidResult,
    SdkErrorCode.UnsupportedResultType,
    SdkErrorCode.CapabilityNotSupported,
    SdkErrorCode.InputRequiredRoundsExceeded,
  ];
  if (error instanceof SdkError && unusable.includes(error.code)) return { kind: 'unusable', message };
  return { kind: 'lost', message };
}
