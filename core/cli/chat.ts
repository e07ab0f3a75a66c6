import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { type AskApproval, approvingHost } from '../agent/approving-host.ts';
import { runAgent } from '../agent/run-agent.ts';
import type { AgentEvent, AgentResult, ToolHost } from '../agent/types.ts';
import type { Approval } from '../call/call.ts';
import { Toolset } from '../catalog/toolset.ts';
import type { Selection, View } from '../catalog/view.ts';
import { callLine, endLine, questionText, resultLine, toolLines } from './chat-lines.ts';
import { printable } from './printable.ts';

export interface ChatOptions {
  /** @defaultValue the environment's OPENAI_MODEL */
  readonly model?: string;
  /** @defaultValue 'chat' */
  readonly api?: 'chat' | 'responses';
  /** First message of the conversation, as the system's. */
  readonly system?: string;
  /** Requests to the model for one question. @defaultValue 10 */
  readonly maxIterations?: number;
  /** @defaultValue false */
  readonly strict?: boolean;
  /** Name patterns of the tools that the model may see. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Approve every call without asking. @defaultValue false */
  readonly yes?: boolean;
}

export interface ChatStreams {
  readonly input: Readable;
  /** The model's text, and nothing else. */
  readonly output: Writable;
  /** Prompts, calls, results and trouble. */
  readonly error: Writable;
  /** Is there a person to ask? @defaultValue whether input and error are terminals */
  readonly interactive?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command line or the environment lacks something; the message says what. */
export class ChatSetupError extends Error {
  override readonly name = 'ChatSetupError';
}

/**
 * Talks with a model that may call the host's tools, at any endpoint that speaks OpenAI's protocols
 * (`OPENAI_BASE_URL`, `OPENAI_API_KEY`). Ends with the input or `/exit`.
 *
 * @returns 0, or 1 where a question from a pipe could not be answered.
 * @throws ChatSetupError - without a model, or without an endpoint to ask.
 */
export async function chat(
  host: ToolHost & { view(selection?: Selection): View },
  options: ChatOptions,
  streams: ChatStreams,
): Promise<0 | 1> {
  return new Chat(host, options, streams).run();
}

/** The conversation, in the form of whichever API it is held over. */
type Conversation =
  | { readonly api: 'chat'; messages: ChatCompletionMessageParam[] }
  | { readonly api: 'responses'; messages: ResponseInputItem[] };

class Chat {
  readonly #host: ToolHost & { view(selection?: Selection): View };
  readonly #options: ChatOptions;
  readonly #streams: ChatStreams;
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #tools: Toolset;
  readonly #lines: Interface;
  readonly #reader: AsyncIterator<string>;
  readonly #interactive: boolean;
  readonly #conversation: Conversation;
  #turn: AbortController | undefined;
  #failed = false;
  /** The input has ended; lines that came before may still wait to be read. */
  #closed = false;

  constructor(
    host: ToolHost & { view(selection?: Selection): View },
    options: ChatOptions,
    streams: ChatStreams,
  ) {
    const { model, client } = connect(options, streams.env);
    this.#model = model;
    this.#client = client;
    this.#host = approvingHost(host, (question) => this.#ask(question));
    this.#options = options;
    this.#streams = streams;
    const { allow, deny } = options;
    this.#tools = new Toolset(
      host.view({ ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) }),
    );
    this.#interactive = streams.interactive ?? (isTerminal(streams.input) && isTerminal(streams.error));
    this.#lines = createInterface({
      input: streams.input,
      output: streams.error,
      terminal: isTerminal(streams.input) && isTerminal(streams.error),
    });
    this.#reader = this.#lines[Symbol.asyncIterator]();
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#lines.on('close', () => {
      this.#closed = true;
    });
    const messages =
      options.system === undefined ? [] : [{ role: 'system' as const, content: options.system }];
    this.#conversation = { api: options.api ?? 'chat', messages };
  }

  async run(): Promise<0 | 1> {
    try {
      if (this.#interactive) {
        this.#tell(
          `${this.#model}, ${this.#tools.names().length} tools. /tools lists them, /exit ends; Ctrl-C stops an answer.`,
        );
      }
      for (;;) {
        const line = await this.#read('> ');
        if (line === undefined || line.trim() === '/exit') break;
        if (line.trim() === '/tools') for (const text of toolLines(this.#tools.listed())) this.#tell(text);
        else if (line.trim() !== '') await this.#answer(line);
      }
    } finally {
      this.#lines.close();
    }
    return this.#failed && !this.#interactive ? 1 : 0;
  }

  async #answer(text: string): Promise<void> {
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    const asked = { role: 'user' as const, content: text };
    const common = {
      client: this.#client,
      model: this.#model,
      host: this.#host,
      tools: this.#tools,
      session: 'chat',
      signal,
      strict: this.#options.strict === true,
      ...(this.#options.maxIterations === undefined ? {} : { maxIterations: this.#options.maxIterations }),
      onEvent: (event: AgentEvent) => this.#show(event),
    };
    const conversation = this.#conversation;
    let result: AgentResult<unknown>;
    if (conversation.api === 'responses') {
      const answer = await runAgent({
        ...common,
        api: 'responses',
        messages: [...conversation.messages, asked],
      });
      conversation.messages = answer.messages;
      result = answer;
    } else {
      const answer = await runAgent({ ...common, messages: [...conversation.messages, asked] });
      conversation.messages = answer.messages;
      result = answer;
    }
    this.#turn = undefined;
    if (result.reason !== 'done') this.#failed = true;
    const line = endLine(result);
    if (line !== undefined) this.#tell(line);
  }

  #show(event: AgentEvent): void {
    if (event.type === 'text_delta') this.#streams.output.write(printable(event.delta));
    else if (event.type === 'text') this.#streams.output.write('\n');
    else if (event.type === 'call') this.#tell(callLine(event.name, event.arguments));
    else if (event.type === 'result') this.#tell(resultLine(event.name, event.result));
  }

  readonly #ask: AskApproval = async ({ manifest, arguments: args, signal }): Promise<Approval> => {
    if (this.#options.yes === true) return { kind: 'approved' };
    if (!this.#interactive)
      return { kind: 'refused', reason: 'there is nobody to ask; --yes approves every call' };
    for (const line of questionText(manifest, args)) this.#tell(line);
    const answer = await this.#read('Run it? [y/N] ', signal);
    return /^\s*y(es)?\s*$/i.test(answer ?? '')
      ? { kind: 'approved' }
      : { kind: 'refused', reason: 'the user said no' };
  };

  #pending: Promise<IteratorResult<string>> | undefined;

  /** The next line, or undefined at the end of the input or when the signal aborts. */
  async #read(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    if (this.#interactive && !this.#closed) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    }
    // A line that nobody waited for any more is the next one's.
    this.#pending ??= this.#reader.next();
    const next = await (signal === undefined
      ? this.#pending
      : Promise.race([this.#pending, aborted(signal)]));
    if (next === undefined) return undefined;
    this.#pending = undefined;
    return next.done === true ? undefined : next.value;
  }

  #interrupt(): void {
    if (this.#turn === undefined) this.#lines.close();
    else this.#turn.abort();
  }

  #tell(text: string): void {
    this.#streams.error.write(`${text}\n`);
  }
}

function connect(options: ChatOptions, env: ChatStreams['env']): { model: string; client: OpenAI } {
  const model = options.model ?? env.OPENAI_MODEL;
  const baseURL = env.OPENAI_BASE_URL;
  const apiKey = env.OPENAI_API_KEY;
  if (!model) throw new ChatSetupError('which model? Say --model NAME, or set OPENAI_MODEL');
  if (!apiKey && !baseURL) {
    throw new ChatSetupError('set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own');
  }
  // Local endpoints want no key, the client wants one.
  return { model, client: new OpenAI({ apiKey: apiKey || 'none', ...(baseURL ? { baseURL } : {}) }) };
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
