import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { AskInChat, ChatStreams } from './chat.ts';
import { questionLines } from './chat-lines.ts';
import { printable } from './printable.ts';

/** The person's side of a chat: lines in, text out, one question at a time. */
export class ChatTerminal {
  readonly interactive: boolean;
  /** What Ctrl-C does; unset, it ends the input. */
  onInterrupt: (() => void) | undefined;
  readonly #streams: ChatStreams;
  readonly #approveAll: boolean;
  readonly #lines: Interface;
  readonly #reader: AsyncIterator<string>;
  /** A read that nobody waits for any more; its line belongs to the next reader. */
  #pending: Promise<IteratorResult<string>> | undefined;
  /** The input has ended; lines that came before may still wait to be read. */
  #closed = false;
  #question: Promise<unknown> = Promise.resolve();

  constructor(streams: ChatStreams, approveAll: boolean) {
    const terminal = isTerminal(streams.input) && isTerminal(streams.error);
    this.interactive = streams.interactive ?? terminal;
    this.#streams = streams;
    this.#approveAll = approveAll;
    this.#lines = createInterface({ input: streams.input, output: streams.error, terminal });
    this.#reader = this.#lines[Symbol.asyncIterator]();
    this.#lines.on('close', () => {
      this.#closed = true;
    });
    this.#lines.on('SIGINT', () => {
      if (this.onInterrupt === undefined) this.close();
      else this.onInterrupt();
    });
  }

  readonly ask: AskInChat = (request) => {
    if (this.#approveAll) return Promise.resolve({ approved: true });
    if (!this.interactive) {
      return Promise.resolve({
        approved: false,
        reason: 'there is nobody to ask; --yes approves every call',
      });
    }
    // Parallel calls ask one after the other: people read slowly.
    const asked = this.#question.then(() => this.#askNow(request));
    this.#question = asked.catch(() => undefined);
    return asked;
  };

  /** The next line, or undefined at the end of the input or when the signal aborts. */
  async read(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    if (this.interactive && !this.#closed) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    }
    this.#pending ??= this.#reader.next();
    const next = await (signal === undefined
      ? this.#pending
      : Promise.race([this.#pending, aborted(signal)]));
    if (next === undefined) return undefined;
    this.#pending = undefined;
    return next.done === true ? undefined : next.value;
  }

  /** Text of the model, to stdout. */
  write(text: string): void {
    this.#streams.output.write(printable(text));
  }

  /** Everything else, to stderr. */
  tell(text: string): void {
    this.#streams.error.write(`${text}\n`);
  }

  close(): void {
    this.#lines.close();
  }

  async #askNow({ tool, arguments: args, signal }: Parameters<AskInChat>[0]): ReturnType<AskInChat> {
    if (signal.aborted) return { approved: false };
    for (const line of questionLines(tool.manifest, args)) this.tell(line);
    const answer = await this.read('Run it? [y/N] ', signal);
    return /^\s*y(es)?\s*$/i.test(answer ?? '')
      ? { approved: true }
      : { approved: false, reason: 'the user said no' };
  }
}

function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
