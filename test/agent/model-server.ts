import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';

export interface ModelRequest {
  readonly path: string;
  readonly body: { readonly [field: string]: unknown };
}

/** What the server does with one request: a JSON body, server-sent events, or something by hand. */
export type Answer =
  | { readonly json: unknown; readonly status?: number }
  | { readonly events: readonly unknown[]; readonly end?: 'done' | 'cut' }
  | { readonly hand: (response: ServerResponse, request: ModelRequest) => void | Promise<void> };

export interface ModelServer extends AsyncDisposable {
  readonly client: OpenAI;
  readonly requests: ModelRequest[];
  /** Requests whose client went away before the answer was whole. */
  readonly aborted: () => number;
}

/** A real HTTP server that speaks the Chat Completions and the Responses protocol from a script, one answer a request. */
export async function modelServer(script: readonly Answer[]): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let aborted = 0;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    const answer = script[requests.length];
    const seen = { path: request.url ?? '', body };
    requests.push(seen);
    response.on('close', () => {
      if (!response.writableFinished) aborted += 1;
    });
    if (answer === undefined)
      return void response.writeHead(500).end('{"error":{"message":"the script is over"}}');
    if ('hand' in answer) return void (await answer.hand(response, seen));
    if ('json' in answer) {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(answer.json));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer.events) writeEvent(response, event);
    if (answer.end === 'cut') return void response.destroy();
    response.end(seen.path.includes('chat') ? 'data: [DONE]\n\n' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // cast: it listens on TCP
  return {
    client: new OpenAI({ apiKey: 'test', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }),
    requests,
    aborted: () => aborted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function writeEvent(response: ServerResponse, event: unknown): void {
  const type = (event as { type?: unknown }).type; // cast: read only
  response.write(`${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** A Chat Completions chunk. */
export function chunk(
  delta: unknown,
  more: { readonly finish?: string | null; readonly usage?: unknown } = {},
): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: more.finish ?? null }],
    ...(more.usage === undefined ? {} : { usage: more.usage }),
  };
}

export const usageChunk = (prompt: number, completion: number): unknown => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [],
  usage: {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 1 },
  },
});

/** A whole Chat Completions answer. */
export function completion(message: unknown, finish: string): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, ...(message as object) },
        finish_reason: finish,
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

export const streamedText = (...pieces: readonly string[]): Answer => ({
  events: [...pieces.map((content) => chunk({ content })), chunk({}, { finish: 'stop' }), usageChunk(7, 3)],
});

export const toolCall = (id: string, name: string, args: string, index = 0): unknown => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** A Responses object. */
export function response(output: readonly unknown[], more: object = {}): unknown {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'm',
    output,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      output_tokens_details: { reasoning_tokens: 2 },
    },
    ...more,
  };
}

export const message = (text: string): unknown => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

export const functionCall = (callId: string, name: string, args: string): unknown => ({
  id: `fc_${callId}`,
  type: 'function_call',
  status: 'completed',
  call_id: callId,
  name,
  arguments: args,
});
