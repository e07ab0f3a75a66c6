import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { ToolMapping } from '../adapters/mapping.ts';
import { isCutReason } from '../call/arguments/parse-arguments.ts';
import { answerCall } from './answer-call.ts';
import { ChatProtocol } from './chat-protocol.ts';
import { ResponsesProtocol } from './responses-protocol.ts';
import type {
  AgentEvent,
  AgentOptionsBase,
  AgentResult,
  AgentTools,
  AnsweredCall,
  ChatAgentOptions,
  ModelCall,
  Protocol,
  ResponsesAgentOptions,
  StopReason,
  Turn,
} from './types.ts';
import { addUsage, NO_USAGE } from './usage.ts';

const DEFAULT_MAX_ITERATIONS = 10;

/**
 * Runs a conversation until the model has no more tool calls. The calls of one turn run at the same time. Never
 * rejects for what an endpoint, a model or a tool does: see `reason` and `error` of the result.
 *
 * @throws TypeError - when neither `tools` nor `host.view` says what the model may call.
 */
export function runAgent(options: ChatAgentOptions): Promise<AgentResult<ChatCompletionMessageParam>>;
export function runAgent(options: ResponsesAgentOptions): Promise<AgentResult<ResponseInputItem>>;
export async function runAgent(
  options: ChatAgentOptions | ResponsesAgentOptions,
): Promise<AgentResult<ChatCompletionMessageParam> | AgentResult<ResponseInputItem>> {
  return options.api === 'responses'
    ? new Run(options, new ResponsesProtocol(options)).start()
    : new Run(options, new ChatProtocol(options)).start();
}

class Run<Message> {
  readonly #options: AgentOptionsBase;
  readonly #protocol: Protocol<Message>;
  readonly #tools: AgentTools;
  readonly #events: AgentEvent[] = [];
  #usage = NO_USAGE;
  #iterations = 0;
  #text = '';

  constructor(options: AgentOptionsBase, protocol: Protocol<Message>) {
    const tools = options.tools ?? options.host.view?.();
    if (tools === undefined) throw new TypeError('runAgent needs `tools`, or a host with a `view` method.');
    this.#options = options;
    this.#protocol = protocol;
    this.#tools = tools;
  }

  async start(): Promise<AgentResult<Message>> {
    const limit = this.#options.maxIterations ?? DEFAULT_MAX_ITERATIONS;
    while (this.#iterations < limit) {
      if (this.#aborted()) return this.#stop('aborted');
      const mapping = this.#beginRequest();
      const asked = await this.#ask(mapping.tools);
      if (!asked.ok) return this.#aborted() ? this.#stop('aborted') : this.#stop('failed', asked.error);
      const { turn } = asked;
      if (turn.calls.length === 0) return this.#stop(endOf(turn));
      const answers = await Promise.all(turn.calls.map((call) => this.#call(call, mapping.mapping, turn)));
      this.#protocol.answer(answers);
    }
    return this.#stop(this.#aborted() ? 'aborted' : 'max_iterations');
  }

  #beginRequest(): { tools: readonly unknown[]; mapping: ToolMapping } {
    const strict = this.#options.strict === true;
    const { tools, mapping } = this.#tools.export(this.#protocol.target, { strict });
    this.#iterations += 1;
    this.#emit({ type: 'request', iteration: this.#iterations, tools: tools.length });
    return { tools, mapping };
  }

  async #ask(tools: readonly unknown[]): Promise<{ ok: true; turn: Turn } | { ok: false; error: Error }> {
    try {
      const turn = await this.#protocol.ask(tools, (delta) => this.#send({ type: 'text_delta', delta }));
      this.#usage = addUsage(this.#usage, turn.usage);
      this.#text = turn.text;
      if (turn.text !== '') this.#emit({ type: 'text', text: turn.text });
      this.#emit({ type: 'usage', usage: turn.usage });
      return { ok: true, turn };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  async #call(call: ModelCall, mapping: ToolMapping, turn: Turn): Promise<AnsweredCall> {
    const { host, signal, session } = this.#options;
    const { name, arguments: args } = mapping.restore(call.name, call.arguments);
    this.#emit({ type: 'call', id: call.id, name, arguments: args });
    const finishReason = call.cut ? 'length' : isCutReason(turn.finishReason) ? undefined : turn.finishReason;
    const result = await answerCall(host, this.#tools, {
      name,
      arguments: args,
      id: call.id,
      ...(session === undefined ? {} : { session }),
      ...(signal === undefined ? {} : { signal }),
      ...(finishReason === undefined ? {} : { finishReason }),
    });
    this.#emit({ type: 'result', id: call.id, name, result });
    return { call, result };
  }

  #stop(reason: StopReason, error?: Error): AgentResult<Message> {
    this.#emit({ type: 'stop', reason });
    return {
      reason,
      text: this.#text,
      messages: this.#protocol.messages,
      usage: this.#usage,
      iterations: this.#iterations,
      events: this.#events,
      ...(error === undefined ? {} : { error }),
    };
  }

  #aborted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #emit(event: AgentEvent): void {
    this.#events.push(event);
    this.#send(event);
  }

  #send(event: AgentEvent): void {
    this.#options.onEvent?.(event);
  }
}

/** A model that stopped for want of tokens or by a filter is not done; every other word for the end is. */
function endOf(turn: Turn): StopReason {
  if (isCutReason(turn.finishReason)) return 'length';
  return turn.finishReason === 'content_filter' ? 'content_filter' : 'done';
}
