import type { Readable, Writable } from 'node:stream';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { runAgent } from '../agent/run-agent.ts';
import type { AgentEvent, AgentResult, ToolHost } from '../agent/types.ts';
import type { Tool } from '../catalog/tool.ts';
import { Toolset } from '../catalog/toolset.ts';
import type { Selection, View } from '../catalog/view.ts';
import { callLine, endLine, resultLine, toolLines } from './chat-lines.ts';
import { ChatTerminal } from './chat-terminal.ts';
import { UsageError } from './exit-code.ts';

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

export type ChatHost = ToolHost & { view(selection?: Selection): View };

/** Asks the person at the terminal whether a call may run; fits the host's own callback for approvals. */
export type AskInChat = (request: {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}) => Promise<{ readonly approved: boolean; readonly reason?: string }>;

/**
 * Talks with a model that may call the host's tools, at any endpoint that speaks OpenAI's protocols
 * (`OPENAI_BASE_URL`, `OPENAI_API_KEY`). Ends with the input or `/exit`.
 *
 * @param open - makes the host, which asks `ask` for its approvals; the caller closes it.
 * @returns 0, or 1 where a question from a pipe could not be answered.
 * @throws UsageError - without a model, or without an endpoint to ask.
 */
export async function chat(
  open: (ask: AskInChat) => ChatHost | Promise<ChatHost>,
  options: ChatOptions,
  streams: ChatStreams,
): Promise<0 | 1> {
  const endpoint = connect(options, streams.env);
  const terminal = new ChatTerminal(streams, options.yes === true);
  try {
    return await new Chat(await open(terminal.ask), endpoint, options, terminal).run();
  } finally {
    terminal.close();
  }
}

/** The conversation, in the form of whichever API it is held over. */
type Conversation =
  | { readonly api: 'chat'; messages: ChatCompletionMessageParam[] }
  | { readonly api: 'responses'; messages: ResponseInputItem[] };

class Chat {
  readonly #host: ChatHost;
  readonly #endpoint: Endpoint;
  readonly #options: ChatOptions;
  readonly #terminal: ChatTerminal;
  readonly #tools: Toolset;
  readonly #conversation: Conversation;
  #failed = false;

  constructor(host: ChatHost, endpoint: Endpoint, options: ChatOptions, terminal: ChatTerminal) {
    const { allow, deny, system, api = 'chat' } = options;
    this.#host = host;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#terminal = terminal;
    const selection = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
    this.#tools = new Toolset(host.view(selection));
    const messages = system === undefined ? [] : [{ role: 'system' as const, content: system }];
    this.#conversation = { api, messages };
  }

  async run(): Promise<0 | 1> {
    const terminal = this.#terminal;
    if (terminal.interactive) {
      const count = this.#tools.names().length;
      terminal.tell(
        `${this.#endpoint.model}, ${count} tools. /tools lists them, /exit ends; Ctrl-C stops an answer.`,
      );
    }
    for (;;) {
      const line = await terminal.read('> ');
      if (line === undefined || line.trim() === '/exit') break;
      if (line.trim() === '/tools') for (const text of toolLines(this.#tools.listed())) terminal.tell(text);
      else if (line.trim() !== '') await this.#answer(line);
    }
    return this.#failed && !terminal.interactive ? 1 : 0;
  }

  async #answer(text: string): Promise<void> {
    const stop = new AbortController();
    this.#terminal.onInterrupt = () => stop.abort();
    const result = await this.#ask(text, stop.signal);
    this.#terminal.onInterrupt = undefined;
    if (result.reason !== 'done') this.#failed = true;
    const line = endLine(result);
    if (line !== undefined) this.#terminal.tell(line);
  }

  async #ask(text: string, signal: AbortSignal): Promise<AgentResult<unknown>> {
    const { strict, maxIterations } = this.#options;
    const common = {
      ...this.#endpoint,
      host: this.#host,
      tools: this.#tools,
      session: 'chat',
      signal,
      strict: strict === true,
      ...(maxIterations === undefined ? {} : { maxIterations }),
      onEvent: (event: AgentEvent) => this.#show(event),
    };
    const question = { role: 'user' as const, content: text };
    const conversation = this.#conversation;
    if (conversation.api === 'responses') {
      const messages = [...conversation.messages, question];
      const answer = await runAgent({ ...common, api: 'responses', messages });
      conversation.messages = answer.messages;
      return answer;
    }
    const answer = await runAgent({ ...common, messages: [...conversation.messages, question] });
    conversation.messages = answer.messages;
    return answer;
  }

  #show(event: AgentEvent): void {
    const terminal = this.#terminal;
    if (event.type === 'text_delta') terminal.write(event.delta);
    else if (event.type === 'text') terminal.write('\n');
    else if (event.type === 'call') terminal.tell(callLine(event.name, event.arguments));
    else if (event.type === 'result') terminal.tell(resultLine(event.name, event.result));
  }
}

interface Endpoint {
  readonly model: string;
  readonly client: OpenAI;
}

function connect(options: ChatOptions, env: ChatStreams['env']): Endpoint {
  const model = options.model ?? env.OPENAI_MODEL;
  const baseURL = env.OPENAI_BASE_URL;
  const apiKey = env.OPENAI_API_KEY;
  if (!model) throw new UsageError('which model? Say --model NAME, or set OPENAI_MODEL');
  if (!apiKey && !baseURL) {
    throw new UsageError('set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own');
  }
  // Local endpoints want no key, the client wants one.
  return { model, client: new OpenAI({ apiKey: apiKey || 'none', ...(baseURL ? { baseURL } : {}) }) };
}
