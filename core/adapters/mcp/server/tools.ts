import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ApprovalAnswer } from '../../../permissions/index.ts';
import { toCallToolResult } from './call-result.ts';
import { type Connection, isAskable } from './connection.ts';
import { RequestListener } from './listener.ts';
import type { OpenCall } from './open-calls.ts';
import { pageOf } from './page.ts';
import { PendingCall } from './pending-call.ts';
import { questionText } from './question-text.ts';
import type { McpService } from './service.ts';
import { listedTools, outputSchemaOf } from './tool-list.ts';
import { withinTrace } from './trace-context.ts';

const APPROVAL = 'approval';

export function installTools(server: Server, service: McpService, connection: Connection): void {
  server.setRequestHandler('tools/list', ({ params }): ListToolsResult => {
    const { items, nextCursor } = pageOf(listedTools(service.view), ({ name }) => name, params?.cursor);
    return { tools: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    new ToolCall(server, service, connection, params, ctx).answer(),
  );
}

/** One request for a tool: a call that begins, or the answer to the question of one that waits. */
class ToolCall {
  readonly #server: Server;
  readonly #service: McpService;
  readonly #connection: Connection;
  readonly #name: string;
  readonly #arguments: Readonly<Record<string, unknown>>;
  readonly #ctx: ServerContext;

  constructor(
    server: Server,
    service: McpService,
    connection: Connection,
    params: CallToolRequest['params'],
    ctx: ServerContext,
  ) {
    this.#server = server;
    this.#service = service;
    this.#connection = connection;
    this.#name = params.name;
    this.#arguments = params.arguments ?? {};
    this.#ctx = ctx;
  }

  async answer(): Promise<CallToolResult | InputRequiredResult> {
    const listener = new RequestListener(this.#ctx, this.#name);
    const call = this.#resume() ?? this.#begin();
    const news = await call.next(listener);
    await listener.flushed();
    if (news.kind === 'question') return this.#ask(call, news.question);
    const { result } = news;
    if (!result.ok && result.error.code === 'unknown_tool')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.content);
    const returns = this.#service.view.get(result.tool.name)?.manifest.returns;
    const schema = returns === undefined ? undefined : outputSchemaOf(returns);
    return this.#server.projectCallToolResult(toCallToolResult(result, schema !== undefined), schema);
  }

  #begin(): PendingCall {
    const { view, source } = this.#service;
    const { session } = this.#connection;
    const { id, _meta } = this.#ctx.mcpReq;
    const call = view.export('mcp').mapping.restore(this.#name, this.#arguments);
    return new PendingCall({
      isAskable: isAskable(this.#connection, this.#server, this.#ctx) && !this.#service.openCalls.isFull,
      run: (parts) =>
        withinTrace(_meta, () =>
          source.call({
            ...call,
            ...parts,
            view,
            id: String(id).slice(0, MAX_ID_CHARS),
            ...(session === undefined ? {} : { session }),
          }),
        ),
    });
  }

  /** The call that this request's state belongs to. That there is one under the state was checked before. */
  #resume(): PendingCall | undefined {
    const state = this.#ctx.mcpReq.requestState<string>();
    const open = state === undefined ? undefined : this.#service.openCalls.find(state);
    if (state === undefined || open === undefined) return undefined;
    if (open.name !== this.#name || open.argumentsJson !== JSON.stringify(this.#arguments))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState belongs to another call.');
    const answer = this.#readAnswer(open);
    // Without an answer the same question is asked once more, under a new state.
    this.#service.openCalls.take(state);
    if (answer !== undefined) open.question.answer(answer);
    return open.call;
  }

  #readAnswer({ call }: OpenCall): ApprovalAnswer | undefined {
    const response = inputResponse(this.#ctx.mcpReq.inputResponses, APPROVAL);
    if (response.kind !== 'elicit' || call.isDone) return undefined;
    if (response.action === 'accept') return true;
    return { approved: false, reason: REFUSALS[response.action] };
  }

  #ask(call: PendingCall, question: OpenCall['question']): InputRequiredResult {
    const state = this.#service.openCalls.put({
      call,
      question,
      name: this.#name,
      argumentsJson: JSON.stringify(this.#arguments),
    });
    if (this.#connection.era === 'legacy') {
      // The request stays open while an older client is asked, so it can be cancelled meanwhile.
      this.#ctx.mcpReq.signal.addEventListener(
        'abort',
        () => this.#service.openCalls.take(state)?.call.cancel(),
        {
          once: true,
        },
      );
    }
    const message = questionText(question.request, this.#service.source.locale);
    return inputRequired({
      inputRequests: {
        [APPROVAL]: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } }),
      },
      requestState: state,
    });
  }
}

const MAX_ID_CHARS = 100;

const REFUSALS: Readonly<Record<'decline' | 'cancel', string>> = {
  decline: 'the user declined it',
  cancel: 'the user dismissed the question',
};
