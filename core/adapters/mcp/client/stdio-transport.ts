import { once } from 'node:events';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { LineReader } from './line-reader.ts';
import { type ProcessOptions, ServerProcess } from './server-process.ts';

/** Lines in a row that are no message after which there is nothing to be expected of a server. */
const MOST_GARBAGE = 1_000;
/** More messages than this within a window and reading waits for its end: a flood must not hold up the host. */
const MESSAGES_PER_WINDOW = 500;
const WINDOW_MS = 100;
/** Bytes that may wait for a server that does not read. */
const MOST_UNSENT_BYTES = 32 * 1024 * 1024;

export const TOO_LARGE_CODE = -32_099;

export interface StdioOptions extends ProcessOptions {
  /** Bytes of one message. */
  readonly maxMessageBytes: number;
}

/**
 * MCP over the pipes of a process. Unlike the SDK's own it passes no environment on, bounds lines and floods, and ends
 * the whole process group.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The SDK knows a pipe by these two, and takes silence on one for an older server. */
  readonly stderr = null;
  readonly #options: StdioOptions;
  #process: ServerProcess | undefined;
  #closing: Promise<void> | undefined;
  #garbage = 0;
  #window = { since: 0, messages: 0 };
  #failure: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Why it is closed, for the operator. */
  get reason(): string | undefined {
    return this.#failure ?? this.#process?.reason;
  }

  async start(): Promise<void> {
    if (this.#process !== undefined) throw new Error('already started');
    const started = await ServerProcess.start(this.#options);
    this.#process = started;
    const reader = new LineReader({
      maxBytes: this.#options.maxMessageBytes,
      onLine: (line) => this.#receive(line),
      onTooLong: (head, tail) => this.#tooLong(head, tail),
    });
    started.child.stdout.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      this.#pace(started);
    });
    void started.exited.then(() => this.#ended(started));
  }

  async send(message: JSONRPCMessage, _options?: TransportSendOptions): Promise<void> {
    const stdin = this.#process?.child.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error('the server is not running');
    if (stdin.writableLength > MOST_UNSENT_BYTES) throw new Error('the server does not read what it is sent');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) {
      await Promise.race([once(stdin, 'drain'), this.#process?.exited]);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#process?.end();
    this.#announce();
  }

  async #ended(ended: ServerProcess): Promise<void> {
    // What it wrote last may still be on its way through the pipe.
    await new Promise((resolve) => setImmediate(resolve));
    this.#closing ??= Promise.resolve();
    ended.child.stdout.destroy();
    this.#announce();
  }

  #announce(): void {
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    this.#window.messages += 1;
    const message = parse(line);
    if (message === undefined) {
      this.#garbage += 1;
      if (this.#garbage === 1)
        this.onerror?.(new Error(`it writes what is no message: ${line.slice(0, 100)}`));
      if (this.#garbage >= MOST_GARBAGE) this.#fail('it only writes what is no message');
      return;
    }
    this.#garbage = 0;
    this.onmessage?.(message);
  }

  /** The answer is lost, but whoever waits for it need not wait. */
  #tooLong(head: string, tail: string): void {
    const id = /"id":\s*(\d{1,15})\s*\}\s*$/.exec(tail)?.[1] ?? /"id":\s*(\d{1,15})\s*,/.exec(head)?.[1];
    const message = `the message has more than ${this.#options.maxMessageBytes} bytes`;
    this.onerror?.(new Error(message));
    if (id !== undefined)
      this.onmessage?.({ jsonrpc: '2.0', id: Number(id), error: { code: TOO_LARGE_CODE, message } });
  }

  #pace({ child: { stdout } }: ServerProcess): void {
    const now = performance.now();
    if (now - this.#window.since > WINDOW_MS) this.#window = { since: now, messages: 0 };
    if (this.#window.messages <= MESSAGES_PER_WINDOW || stdout.isPaused()) return;
    stdout.pause();
    setTimeout(() => stdout.resume(), WINDOW_MS).unref();
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    void this.close();
  }
}

function parse(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}
