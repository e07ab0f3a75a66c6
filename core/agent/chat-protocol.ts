import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions/completions';
import { openAIParts, openAIResult } from '../adapters/results.ts';
import { isCutReason } from '../call/arguments/parse-arguments.ts';
import { CallAssembler, type CallDelta } from './assemble-calls.ts';
import { historyArguments, historyName, markCut } from './history.ts';
import type { AnsweredCall, ChatAgentOptions, Protocol, Turn } from './types.ts';
import { chatUsage } from './usage.ts';

/** Chat Completions: one message a turn, tool calls inside it. */
export class ChatProtocol implements Protocol<ChatCompletionMessageParam> {
  readonly target = 'openai';
  readonly messages: ChatCompletionMessageParam[];
  readonly #options: ChatAgentOptions;

  constructor(options: ChatAgentOptions) {
    this.#options = options;
    this.messages = [...options.messages];
  }

  async ask(tools: readonly ChatCompletionTool[], onText: (delta: string) => void): Promise<Turn> {
    const { client, model, request, signal, stream } = this.#options;
    const body: ChatCompletionCreateParamsNonStreaming = {
      ...request,
      model,
      messages: this.messages,
      ...(tools.length > 0 ? { tools: [...tools] } : {}),
    };
    const transport = signal === undefined ? {} : { signal };
    if (stream === false) {
      return this.#finish(readCompletion(await client.chat.completions.create(body, transport), onText));
    }
    const usage = this.#options.streamUsage === false ? {} : { stream_options: { include_usage: true } };
    const chunks = await client.chat.completions.create({ ...usage, ...body, stream: true }, transport);
    const reader = new ChunkReader(onText);
    for await (const chunk of chunks) reader.read(chunk);
    // The client ends an aborted stream without an error.
    signal?.throwIfAborted();
    return this.#finish(reader.draft());
  }

  answer(answers: readonly AnsweredCall[]): void {
    for (const { call, result } of answers) this.messages.push(openAIResult(call.id, result));
    for (const { call, result } of answers) {
      const shown = openAIParts(call.id, result);
      if (shown !== undefined) this.messages.push(shown);
    }
  }

  #finish({ text, calls, finishReason, usage }: Draft): Turn {
    const assembled = calls.finish();
    this.messages.push({
      role: 'assistant',
      content: text === '' && assembled.length > 0 ? null : text,
      ...(assembled.length === 0
        ? {}
        : {
            tool_calls: assembled.map((call) => ({
              id: call.id,
              type: 'function',
              function: { name: historyName(call.name), arguments: historyArguments(call.arguments) },
            })),
          }),
    });
    return {
      text,
      calls: markCut(assembled, isCutReason(finishReason)),
      finishReason,
      usage: chatUsage(usage),
    };
  }
}

interface Draft {
  readonly text: string;
  readonly calls: CallAssembler;
  readonly finishReason: string | undefined;
  readonly usage: ChatCompletion['usage'] | null;
}

function readCompletion(completion: ChatCompletion, onText: (delta: string) => void): Draft {
  // An endpoint that reports its error with status 200 has no choices, whatever the type says.
  const choice = completion.choices?.[0];
  if (choice === undefined) throw new Error('The model endpoint answered without any choice.');
  const text = choice.message?.content ?? choice.message?.refusal ?? '';
  if (text !== '') onText(text);
  const calls = new CallAssembler();
  for (const [index, call] of (choice.message?.tool_calls ?? []).entries()) {
    if (call.type !== 'custom') calls.add({ index, id: call.id, function: call.function });
  }
  return { text, calls, finishReason: choice.finish_reason ?? undefined, usage: completion.usage };
}

class ChunkReader {
  readonly #onText: (delta: string) => void;
  readonly #calls = new CallAssembler();
  #text = '';
  #finishReason: string | undefined;
  #usage: ChatCompletion['usage'] | null;
  #chunks = 0;

  constructor(onText: (delta: string) => void) {
    this.#onText = onText;
  }

  read(chunk: ChatCompletionChunk): void {
    this.#usage = chunk.usage ?? this.#usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) return;
    this.#chunks += 1;
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
    const text = choice.delta?.content ?? choice.delta?.refusal ?? '';
    if (text !== '') {
      this.#text += text;
      this.#onText(text);
    }
    const deltas: readonly CallDelta[] = choice.delta?.tool_calls ?? [];
    for (const delta of deltas) this.#calls.add(delta);
  }

  draft(): Draft {
    if (this.#chunks === 0) throw new Error('The model endpoint ended its stream without any choice.');
    return { text: this.#text, calls: this.#calls, finishReason: this.#finishReason, usage: this.#usage };
  }
}
