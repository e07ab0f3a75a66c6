import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { responsesResult } from '../adapters/results.ts';
import { ItemAssembler } from './assemble-items.ts';
import { historyArguments, historyName, markCut } from './history.ts';
import type { AnsweredCall, Protocol, ResponsesAgentOptions, Turn } from './types.ts';
import { responsesUsage } from './usage.ts';

/** Responses: a list of items, sent whole each time, so nothing hangs on what the server keeps. */
export class ResponsesProtocol implements Protocol<ResponseInputItem> {
  readonly target = 'responses';
  readonly messages: ResponseInputItem[];
  readonly #options: ResponsesAgentOptions;

  constructor(options: ResponsesAgentOptions) {
    this.#options = options;
    this.messages = [...options.messages];
  }

  async ask(tools: readonly FunctionTool[], onText: (delta: string) => void): Promise<Turn> {
    const { client, model, request, signal, stream } = this.#options;
    const body: ResponseCreateParamsNonStreaming = {
      ...request,
      model,
      input: this.messages,
      ...(tools.length > 0 ? { tools: [...tools] } : {}),
    };
    const transport = signal === undefined ? {} : { signal };
    const reader = new EventReader(onText);
    if (stream === false) {
      reader.whole(await client.responses.create(body, transport));
    } else {
      const events = await client.responses.create({ ...body, stream: true }, transport);
      for await (const event of events) reader.read(event);
      signal?.throwIfAborted();
    }
    return this.#finish(reader);
  }

  answer(answers: readonly AnsweredCall[]): void {
    for (const { call, result } of answers) this.messages.push(responsesResult(call.id, result));
  }

  #finish(reader: EventReader): Turn {
    const items = reader.items();
    for (const item of items) this.messages.push(historyItem(item));
    const calls = items.filter((item) => item.type === 'function_call');
    const assembled = calls.map((call) => ({
      id: call.call_id,
      name: call.name ?? '',
      arguments: call.arguments ?? '',
    }));
    const finishReason = reader.finishReason();
    const marked = markCut(assembled, finishReason === 'length');
    return {
      text: reader.text(items),
      calls: marked.map((call, index) =>
        calls[index]?.status === 'incomplete' ? { ...call, cut: true } : call,
      ),
      finishReason,
      usage: responsesUsage(reader.response?.usage),
    };
  }
}

/** An output item as it is sent back. */
function historyItem(item: ResponseOutputItem): ResponseInputItem {
  // cast: the API takes every output item back as input, though a few differ in optional fields only
  if (item.type !== 'function_call') return item as ResponseInputItem;
  const { status: _status, ...call } = item;
  return { ...call, name: historyName(call.name ?? ''), arguments: historyArguments(call.arguments ?? '') };
}

class EventReader {
  response: Response | undefined;
  readonly #onText: (delta: string) => void;
  readonly #items = new ItemAssembler();
  #streamed = '';
  #ended = false;

  constructor(onText: (delta: string) => void) {
    this.#onText = onText;
  }

  whole(response: Response): void {
    this.#end(response);
    const text = textOf(response.output ?? []);
    if (text !== '') this.#onText(text);
  }

  read(event: ResponseStreamEvent): void {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#streamed += event.delta;
        this.#onText(event.delta);
        return;
      case 'response.output_item.added':
        return this.#items.added(event.item, event.output_index);
      case 'response.function_call_arguments.delta':
        return this.#items.delta(event.item_id, event.output_index, event.delta);
      case 'response.function_call_arguments.done':
        return this.#items.argumentsDone(event.item_id, event.output_index, event.arguments);
      case 'response.output_item.done':
        return this.#items.done(event.item, event.output_index);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(event.response);
      case 'error':
        throw new Error(`The model endpoint reported an error: ${event.message}`);
      default:
        return;
    }
  }

  items(): ResponseOutputItem[] {
    const items = this.#items.finish(this.response?.output);
    if (!this.#ended && items.length === 0 && this.#streamed === '') {
      throw new Error('The model endpoint ended its stream without an answer.');
    }
    return items;
  }

  text(items: readonly ResponseOutputItem[]): string {
    return this.#streamed === '' ? textOf(items) : this.#streamed;
  }

  finishReason(): string | undefined {
    const reason = this.response?.incomplete_details?.reason;
    return reason === 'max_output_tokens' ? 'length' : reason;
  }

  #end(response: Response): void {
    this.#ended = true;
    this.response = response;
    if (response.status === 'failed' || response.error) {
      throw new Error(`The model failed: ${response.error?.message ?? 'no reason given'}`);
    }
  }
}

function textOf(items: readonly ResponseOutputItem[]): string {
  const parts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
  return parts.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('');
}
