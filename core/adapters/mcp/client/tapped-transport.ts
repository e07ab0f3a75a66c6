import type {
  JSONRPCMessage,
  JSONRPCResultResponse,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { isRecord } from '../../../schema/pointer.ts';

/** Where a stand-in says which answer it stands for. */
const HANDLE = 'glovebox/raw';
const TAPPED: ReadonlySet<string> = new Set(['tools/list', 'tools/call']);

/**
 * Takes what strangers wrote out of the answers before the SDK reads them: it holds a list against its schema as a whole,
 * and one bad tool would hide all others. We read it ourselves, piece by piece. The SDK sees an empty stand-in.
 */
export class TappedTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #inner: Transport;
  readonly #asked = new Map<string | number, string>();
  readonly #raw = new Map<number, Readonly<Record<string, unknown>>>();
  #handles = 0;

  constructor(inner: Transport) {
    this.#inner = inner;
    // How the SDK tells a pipe from a network.
    if ('pid' in inner) Object.defineProperties(this, { pid: { value: undefined }, stderr: { value: null } });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => this.#receive(message, extra);
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) {
      if ('id' in message && TAPPED.has(message.method)) this.#asked.set(message.id, message.method);
      // Whoever asked has left; what comes now is for nobody.
      const { requestId } = message.params ?? {};
      if (message.method === 'notifications/cancelled' && isId(requestId)) this.#asked.delete(requestId);
    }
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** What the server really answered; only once. */
  take(standIn: { readonly _meta?: unknown }): Readonly<Record<string, unknown>> {
    const handle = isRecord(standIn._meta) ? standIn._meta[HANDLE] : undefined;
    if (typeof handle !== 'number') return {};
    const raw = this.#raw.get(handle);
    this.#raw.delete(handle);
    return raw ?? {};
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (!('id' in message) || 'method' in message || !isId(message.id)) {
      this.onmessage?.(message, extra);
      return;
    }
    const method = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    const isTapped = 'result' in message && method !== undefined;
    if (!isTapped) return this.onmessage?.(message, extra);
    const standIn = this.#standIn(message, method);
    // The SDK passes progress on a moment later than an answer: what came before the answer is to be heard before it.
    void Promise.resolve()
      .then(() => undefined)
      .then(() => this.onmessage?.(standIn, extra));
  }

  #standIn(message: JSONRPCResultResponse, method: string): JSONRPCResultResponse {
    const raw: Readonly<Record<string, unknown>> = message.result;
    if (raw.resultType === 'input_required') return message;
    const handle = ++this.#handles;
    this.#raw.set(handle, raw);
    const base = {
      _meta: { [HANDLE]: handle },
      ...(raw.resultType === undefined ? {} : { resultType: raw.resultType }),
    };
    const result =
      method === 'tools/list'
        ? { ...base, tools: [], ttlMs: 0, cacheScope: 'private' }
        : { ...base, content: [] };
    return { jsonrpc: '2.0', id: message.id, result };
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
