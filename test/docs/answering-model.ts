import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Asked {
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  readonly input?: readonly { readonly type?: string; readonly role?: string; readonly output?: unknown }[];
  readonly tools?: readonly {
    readonly name?: string;
    readonly parameters?: Schema;
    readonly function?: { readonly name: string; readonly parameters: Schema };
  }[];
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<
    Record<string, { readonly type?: unknown; readonly examples?: readonly unknown[] }>
  >;
}

/**
 * An endpoint that speaks Chat Completions and Responses, with a model of little wit: it calls the first tool that it is
 * given, once, and then says what that answered.
 */
export async function answeringModel(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as Asked; // cast: what the openai client sends
    const answer = request.url?.includes('responses') ? respond(asked) : complete(asked);
    if (asked.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(answer.whole));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer.events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // cast: it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function complete({ messages = [], tools = [] }: Asked): { whole: unknown; events: readonly unknown[] } {
  const last = messages.at(-1);
  const [tool] = tools;
  const wants = last?.role === 'user' && tool?.function !== undefined;
  const call = wants && {
    ...{ id: 'call_1', type: 'function' },
    function: { name: tool.function?.name, arguments: argumentsFor(tool.function?.parameters) },
  };
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: `The tool answers: ${String(last?.content)}` };
  const finish = call ? 'tool_calls' : 'stop';
  const base = { id: 'c', created: 0, model: 'small' };
  const delta = call ? { ...message, tool_calls: [{ index: 0, ...call }] } : message;
  return {
    whole: {
      ...{ ...base, object: 'chat.completion', usage },
      choices: [{ index: 0, message, finish_reason: finish }],
    },
    events: [
      { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] },
      {
        ...{ ...base, object: 'chat.completion.chunk', usage },
        choices: [{ index: 0, delta: {}, finish_reason: finish }],
      },
    ],
  };
}

function respond({ input = [], tools = [] }: Asked): { whole: unknown; events: readonly unknown[] } {
  const last = input.at(-1);
  const [tool] = tools;
  const item =
    last?.role === 'user' && tool?.name !== undefined
      ? {
          ...{ type: 'function_call', id: 'f', call_id: 'call_1', status: 'completed' },
          ...{ name: tool.name, arguments: argumentsFor(tool.parameters) },
        }
      : {
          ...{ type: 'message', id: 'm', role: 'assistant', status: 'completed' },
          content: [
            { type: 'output_text', text: `The tool answers: ${String(last?.output)}`, annotations: [] },
          ],
        };
  const whole = {
    ...{ id: 'r', object: 'response', created_at: 0, model: 'small', status: 'completed', output: [item] },
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  return { whole, events: [{ type: 'response.completed', sequence_number: 0, response: whole }] };
}

function argumentsFor(schema: Schema | undefined): string {
  const { required = [], properties = {} } = schema ?? {};
  return JSON.stringify(
    Object.fromEntries(required.map((name) => [name, properties[name]?.type === 'string' ? 'Ada' : 2])),
  );
}
