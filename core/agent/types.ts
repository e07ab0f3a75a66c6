import type OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsBase,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type { ResponseCreateParamsBase, ResponseInputItem } from 'openai/resources/responses/responses';
import type { Exported, ExportOptions, ToolForms } from '../adapters/export.ts';
import type { CallView } from '../call/call.ts';
import type { CallResult } from '../call/result.ts';
import type { Selection, View } from '../catalog/view.ts';
import type { Locale } from '../config/config.ts';

/** What the loop needs of a host: to call a tool, and to answer. */
export interface ToolHost {
  call(request: {
    readonly name: string;
    readonly arguments: unknown;
    readonly id?: string;
    readonly session?: string;
    readonly signal?: AbortSignal;
    readonly finishReason?: string;
    readonly view?: CallView;
  }): Promise<CallResult>;
  /** Language of what a model reads. @defaultValue 'en' */
  readonly locale?: Locale;
}

/** The tools of one conversation: a view, or a toolset that defers a large one. */
export interface AgentTools extends CallView {
  export<Name extends 'openai' | 'responses'>(
    target: Name,
    options?: ExportOptions,
  ): Exported<ToolForms[Name]>;
  /** Sees each answer, so that what `search_tools` found can be listed. */
  observe?(name: string, result: CallResult): void;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Input tokens that came from the provider's cache. */
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** Requests to the model. */
  readonly requests: number;
}

export type AgentEvent =
  | { readonly type: 'request'; readonly iteration: number; readonly tools: number }
  /** Text as it comes. Not kept in the transcript: `text` holds the whole. */
  | { readonly type: 'text_delta'; readonly delta: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'result'; readonly id: string; readonly name: string; readonly result: CallResult }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'stop'; readonly reason: StopReason };

/**
 * `done`: the model had no more calls. `length`, `content_filter`: its answer was cut or withheld.
 * `max_iterations`: it still wanted calls. `aborted`: the signal. `failed`: the endpoint; see `error`.
 */
export type StopReason = 'done' | 'length' | 'content_filter' | 'max_iterations' | 'aborted' | 'failed';

export interface AgentResult<Message> {
  readonly reason: StopReason;
  /** The model's last text. */
  readonly text: string;
  /** The whole conversation, ready to go on with. Every call in it has its answer. */
  readonly messages: Message[];
  readonly usage: TokenUsage;
  readonly iterations: number;
  /** What happened, in order, deltas left out. */
  readonly events: readonly AgentEvent[];
  /** Why it `failed`. */
  readonly error?: Error;
}

export interface AgentOptionsBase {
  /** The `openai` client; any endpoint that speaks its protocol. */
  readonly client: Pick<OpenAI, 'chat' | 'responses'>;
  readonly model: string;
  readonly host: ToolHost & { view?(selection?: Selection): View };
  /** What the model may see. @defaultValue the host's whole view */
  readonly tools?: AgentTools;
  /** Requests to the model, at most. @defaultValue 10 */
  readonly maxIterations?: number;
  /** @defaultValue true */
  readonly stream?: boolean;
  /** Export strict schemas where that can be done. @defaultValue false */
  readonly strict?: boolean;
  /** Ends the request to the model and every running call. */
  readonly signal?: AbortSignal;
  /** Given to each call: calls of one session share state. */
  readonly session?: string;
  readonly onEvent?: (event: AgentEvent) => void;
}

export interface ChatAgentOptions extends AgentOptionsBase {
  /** @defaultValue 'chat' */
  readonly api?: 'chat';
  readonly messages: readonly ChatCompletionMessageParam[];
  /** More fields of the request: `temperature`, `tool_choice`, `max_tokens`... */
  readonly request?: Partial<Omit<ChatCompletionCreateParamsBase, 'messages' | 'model' | 'tools' | 'stream'>>;
  /** Ask for token counts while streaming; a few endpoints refuse that. @defaultValue true */
  readonly streamUsage?: boolean;
}

export interface ResponsesAgentOptions extends AgentOptionsBase {
  readonly api: 'responses';
  readonly messages: readonly ResponseInputItem[];
  /** More fields of the request: `instructions`, `reasoning`, `tool_choice`... */
  readonly request?: Partial<Omit<ResponseCreateParamsBase, 'input' | 'model' | 'tools' | 'stream'>>;
}

/** A call as a model made it, in the names of the export. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, or what the model put in its place. */
  readonly arguments: string;
  /** The model was stopped while it wrote this call. */
  readonly cut: boolean;
}

/** One answer of the model. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finishReason: string | undefined;
  readonly usage: TokenUsage;
}

export interface AnsweredCall {
  readonly call: ModelCall;
  readonly result: CallResult;
}

/** One wire protocol: it keeps the conversation in its own form. */
export interface Protocol<Message> {
  readonly target: 'openai' | 'responses';
  readonly messages: Message[];
  /** Sends the conversation and appends the model's answer to it. Rejects where the endpoint fails. */
  ask(tools: readonly unknown[], onText: (delta: string) => void): Promise<Turn>;
  answer(answers: readonly AnsweredCall[]): void;
}
