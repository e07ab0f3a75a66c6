import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { readJson, requestIdOf } from './json-text.ts';
import { LineSplitter } from './line-splitter.ts';

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** How long answers are waited for once the input has ended, milliseconds. @defaultValue 30000 */
  readonly drainMs?: number;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Bytes of answers that may wait for the client to read them before more of its lines are read. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const MOST_REQUESTS = 1_024;
const DRAIN_MS = 30_000;
/** Parked for as long as the client listens: nothing to wait for. */
const UNANSWERED = 'subscriptions/listen';

const [PARSE_ERROR, INVALID_REQUEST, BUSY] = [-32_700, -32_600, -32_000];

/**
 * MCP's lines over a pair of streams. Unlike the SDK's own, no line ends it: what is too long, no UTF-8, no JSON or no
 * message is answered with an error and forgotten. When the input ends, calls in flight still get their answers out.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Sees each message before it is served. */
  onreceived?: (message: JSONRPCMessage) => void;
  /** Resolves when nothing more is read or written. */
  readonly closed: Promise<void>;
  readonly #options: LineTransportOptions;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #unanswered = new Set<RequestId>();
  readonly #markClosed: () => void;
  #isClosed = false;
  #hasEnded = false;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(options: LineTransportOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#markClosed = resolve;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onEnd);
    output.on('error', this.#onOutputError);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message).then(() => {
      if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
        this.#settle(message.id);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#drainTimer);
    const { input } = this.#options;
    input.off('data', this.#onData);
    // A stream that is only paused keeps the process alive.
    input.destroy();
    this.onclose?.();
    this.#markClosed();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (const line of this.#lines.push(bytes)) {
      if (this.#isClosed) return;
      if (line.kind === 'line') this.#readLine(line.bytes);
      else this.#refuse(PARSE_ERROR, `The line is longer than ${MAX_LINE_BYTES} bytes.`);
    }
    this.#awaitReader();
  };

  /** A client that does not read its answers gets no further ones: each line may have one, longer than itself. */
  #awaitReader(): void {
    const { input, output } = this.#options;
    if (output.writableLength <= MAX_UNREAD_BYTES || !output.writableNeedDrain || input.isPaused()) return;
    input.pause();
    output.once('drain', () => {
      if (!this.#isClosed) input.resume();
    });
  }

  readonly #onEnd = (): void => {
    if (this.#hasEnded || this.#isClosed) return;
    this.#hasEnded = true;
    const rest = this.#lines.end();
    if (rest !== undefined) this.#readLine(rest);
    if (this.#unanswered.size === 0) return void this.close();
    this.#drainTimer = setTimeout(() => void this.close(), this.#options.drainMs ?? DRAIN_MS);
  };

  readonly #onOutputError = (): void => void this.close();

  #readLine(bytes: Buffer): void {
    const text = decode(bytes);
    if (text === undefined) return this.#refuse(PARSE_ERROR, 'The line is no UTF-8.');
    if (text.trim() === '') return;
    const json = readJson(text);
    if (!json.ok) return this.#refuse(PARSE_ERROR, `The line can't be read: ${json.reason}.`);
    if (Array.isArray(json.value))
      return this.#refuse(INVALID_REQUEST, 'One message a line: batches are not served.');
    const message = readMessage(json.value);
    if (message === undefined)
      return this.#refuse(INVALID_REQUEST, 'This is no JSON-RPC 2.0 message.', requestIdOf(json.value));
    this.#receive(message);
  }

  #receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== UNANSWERED) {
      if (this.#unanswered.size >= MOST_REQUESTS)
        return this.#refuse(BUSY, `More than ${MOST_REQUESTS} requests wait for answers.`, message.id);
      this.#unanswered.add(message.id);
    }
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {};
      // A cancelled request needs no answer.
      if (typeof requestId === 'string' || typeof requestId === 'number') this.#settle(requestId);
    }
    try {
      this.onreceived?.(message);
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#hasEnded && this.#unanswered.size === 0) void this.close();
  }

  #refuse(code: number, message: string, id: RequestId | null = null): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Resolves when the output has taken it; a client that is gone is found out by the stream's own error. */
  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    // Some readers take these two for ends of lines.
    const line = JSON.stringify(message).replace(/[\u2028\u2029]/g, (character) =>
      character === '\u2028' ? '\\u2028' : '\\u2029',
    );
    return new Promise((resolve) => {
      this.#options.output.write(`${line}\n`, () => resolve());
    });
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}

function readMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}
