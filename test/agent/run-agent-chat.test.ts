import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../core/agent/run-agent.ts';
import type { AgentEvent } from '../../core/agent/types.ts';
import {
  chunk,
  completion,
  modelServer,
  streamedText,
  toolCall,
  usageChunk,
  writeEvent,
} from './model-server.ts';
import { meeting, recordingHost } from './recording-host.ts';

const QUESTION = [{ role: 'user' as const, content: 'Add 1 and 2.' }];
const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a'],
};
const adder = {
  parameters: numbers,
  run: ({ a, b }: Record<string, unknown>) => ({ sum: Number(a) + Number(b ?? 0) }),
};

describe('runAgent over Chat Completions', () => {
  it('streams text as it comes and ends when there are no calls', async () => {
    await using server = await modelServer([streamedText('Hel', 'lo')]);
    const deltas: string[] = [];
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
      onEvent: (event) => event.type === 'text_delta' && deltas.push(event.delta),
    });
    expect(deltas).toEqual(['Hel', 'lo']);
    expect(result).toMatchObject({ reason: 'done', text: 'Hello', iterations: 1 });
    expect(result.messages).toEqual([...QUESTION, { role: 'assistant', content: 'Hello' }]);
    expect(server.requests[0]?.body).toMatchObject({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('hands text over before the stream ends', async () => {
    let seen = '';
    let release: () => void = () => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await modelServer([
      {
        hand: async (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          writeEvent(response, chunk({ content: 'early' }));
          await first;
          writeEvent(response, chunk({ content: ' late' }, { finish: 'stop' }));
          response.end('data: [DONE]\n\n');
        },
      },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
      onEvent: (event) => {
        if (event.type !== 'text_delta') return;
        seen += event.delta;
        release();
      },
    });
    expect(seen).toBe('early late');
    expect(result.text).toBe('early late');
  });

  it('calls the tool by its own name, answers with its text, and goes on', async () => {
    await using server = await modelServer([
      {
        events: [
          chunk({ tool_calls: [toolCall('c1', 'math_add', '{"a"')] }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: ':1,"b":2}' } }] }),
          chunk({}, { finish: 'tool_calls' }),
          usageChunk(10, 4),
        ],
      },
      streamedText('3'),
    ]);
    const host = recordingHost({ 'math.add': adder });
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host,
      messages: QUESTION,
      session: 's1',
    });
    expect(host.calls).toMatchObject([
      { name: 'math.add', arguments: '{"a":1,"b":2}', id: 'c1', session: 's1', finishReason: 'tool_calls' },
    ]);
    expect(result.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'math_add', arguments: '{"a":1,"b":2}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"sum":3}' },
      { role: 'assistant', content: '3' },
    ]);
    expect(server.requests[1]?.body.messages).toEqual(result.messages.slice(0, 3));
    expect(result.usage).toEqual({
      inputTokens: 17,
      outputTokens: 7,
      totalTokens: 24,
      cachedTokens: 2,
      reasoningTokens: 0,
      requests: 2,
    });
  });

  it('keeps a transcript of events', async () => {
    await using server = await modelServer([
      { events: [chunk({ tool_calls: [toolCall('c1', 'add', '{"a":1}')] }, { finish: 'tool_calls' })] },
      streamedText('1'),
    ]);
    const live: AgentEvent[] = [];
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ add: adder }),
      messages: QUESTION,
      onEvent: (event) => live.push(event),
    });
    const types = ['request', 'usage', 'call', 'result', 'request', 'text', 'usage', 'stop'];
    expect(result.events.map((event) => event.type)).toEqual(types);
    expect(live.filter((event) => event.type !== 'text_delta')).toEqual(result.events);
    expect(result.events[3]).toMatchObject({
      type: 'result',
      id: 'c1',
      name: 'add',
      result: { ok: true, content: '{"sum":1}' },
    });
  });

  it('runs parallel calls at the same time and answers them in the order asked', async () => {
    const meet = meeting(3);
    const slow = {
      parameters: numbers,
      run: async ({ a }: Record<string, unknown>) => {
        await meet();
        return `got ${a}`;
      },
    };
    const calls = [1, 2, 3].map((a, index) => toolCall(`c${a}`, 'slow', `{"a":${a}}`, index));
    await using server = await modelServer([
      { events: [chunk({ tool_calls: calls }, { finish: 'tool_calls' })] },
      streamedText('ok'),
    ]);
    const host = recordingHost({ slow });
    const result = await runAgent({ client: server.client, model: 'm', host, messages: QUESTION });
    expect(host.peak()).toBe(3);
    expect(result.messages.slice(2, 5)).toEqual(
      [1, 2, 3].map((a) => ({ role: 'tool', tool_call_id: `c${a}`, content: `got ${a}` })),
    );
  });

  it.each<[string, unknown[]]>([
    [
      'index always 0',
      [
        [toolCall('c1', 'add', '')],
        [{ index: 0, function: { arguments: '{"a":1}' } }],
        [toolCall('c2', 'add', '')],
        [{ index: 0, function: { arguments: '{"a":2}' } }],
      ],
    ],
    [
      'no index',
      [
        [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a"' } }],
        [{ function: { arguments: ':1}' } }],
        [{ id: 'c2', function: { name: 'add', arguments: '{"a":2}' } }],
      ],
    ],
    [
      'arguments before the name',
      [
        [
          { index: 0, id: 'c1', function: { arguments: '{"a":1}' } },
          { index: 1, id: 'c2', function: { arguments: '{"a":2}' } },
        ],
        [
          { index: 0, function: { name: 'add' } },
          { index: 1, function: { name: 'add' } },
        ],
      ],
    ],
    [
      'interleaved, known by id',
      [
        [toolCall('c1', 'add', '{"a"', 0), toolCall('c2', 'add', '{"a"', 0)],
        [
          { index: 0, id: 'c1', function: { arguments: ':1}' } },
          { index: 0, id: 'c2', function: { arguments: ':2}' } },
        ],
      ],
    ],
  ])('reads a server with %s', async (_title, groups) => {
    const events = groups.map((tool_calls) => chunk({ tool_calls }));
    await using server = await modelServer([
      { events: [...events, chunk({}, { finish: 'tool_calls' })] },
      streamedText('ok'),
    ]);
    const host = recordingHost({ add: adder });
    await runAgent({ client: server.client, model: 'm', host, messages: QUESTION });
    expect(host.calls.map((call) => [call.id, call.name, call.arguments])).toEqual([
      ['c1', 'add', '{"a":1}'],
      ['c2', 'add', '{"a":2}'],
    ]);
  });

  it.each([['stop'], [null], ['function_call'], ['']])(
    'runs the calls whatever the finish reason says: %j',
    async (finish) => {
      await using server = await modelServer([
        { events: [chunk({ tool_calls: [toolCall('c1', 'add', '{"a":1}')] }, { finish })] },
        streamedText('ok'),
      ]);
      const host = recordingHost({ add: adder });
      const result = await runAgent({ client: server.client, model: 'm', host, messages: QUESTION });
      expect(host.calls).toHaveLength(1);
      expect(result.reason).toBe('done');
    },
  );

  it('is done where the finish reason promises calls and none came', async () => {
    await using server = await modelServer([
      { events: [chunk({ content: 'nothing' }, { finish: 'tool_calls' })] },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ add: adder }),
      messages: QUESTION,
    });
    expect(result).toMatchObject({ reason: 'done', text: 'nothing' });
  });

  it('never runs a call that was cut, runs the whole one before it, and sends no broken JSON back', async () => {
    await using server = await modelServer([
      {
        events: [
          chunk({ tool_calls: [toolCall('c1', 'add', '{"a":1}', 0), toolCall('c2', 'add', '{"a":2,"b', 1)] }),
          chunk({}, { finish: 'length' }),
        ],
      },
      streamedText('again'),
    ]);
    const ran: unknown[] = [];
    const host = recordingHost({
      add: {
        parameters: numbers,
        run: (args) => {
          ran.push(args);
          return 'ok';
        },
      },
    });
    const result = await runAgent({ client: server.client, model: 'm', host, messages: QUESTION });
    expect(ran).toEqual([{ a: 1 }]);
    expect(host.calls.map((call) => call.finishReason)).toEqual([undefined, 'length']);
    expect(result.messages[2]).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'ok' });
    expect(result.messages[3]).toEqual({
      role: 'tool',
      tool_call_id: 'c2',
      content: 'Error: truncated_arguments',
    });
    expect(result.messages[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"a":1}' } }, { function: { arguments: '{}' } }],
    });
  });

  it('says that the text was cut', async () => {
    await using server = await modelServer([
      { events: [chunk({ content: 'half a sen' }, { finish: 'length' })] },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
    });
    expect(result).toMatchObject({ reason: 'length', text: 'half a sen' });
  });

  it('does not reach a tool that the view hides, and says what is there', async () => {
    await using server = await modelServer([
      {
        events: [
          chunk(
            { tool_calls: [toolCall('c1', 'secret', '{}'), toolCall('c2', 'functions.add', '{"a":1}', 1)] },
            { finish: 'tool_calls' },
          ),
        ],
      },
      streamedText('ok'),
    ]);
    const host = recordingHost({ add: adder, secret: { run: () => 'told' } });
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host,
      tools: host.view({ deny: ['secret'] }),
      messages: QUESTION,
    });
    expect(host.calls).toEqual([]);
    const [hidden, prefixed] = result.messages.slice(2, 4);
    expect(hidden?.content).toMatch(/^Error: There is no tool named "secret"\.\n(?!.*told).*add/);
    expect(prefixed?.content).toContain('Did you mean "add"?');
    // An API would refuse the invented name in the conversation.
    expect(result.messages[1]).toMatchObject({
      tool_calls: [{ function: { name: 'secret' } }, { function: { name: 'functions_add' } }],
    });
  });

  it('stops after the iterations it was given, with every call answered', async () => {
    const again = {
      events: [chunk({ tool_calls: [toolCall('c', 'add', '{"a":1}')] }, { finish: 'tool_calls' })],
    };
    await using server = await modelServer([again, again, again]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ add: adder }),
      messages: QUESTION,
      maxIterations: 2,
    });
    expect(result).toMatchObject({ reason: 'max_iterations', iterations: 2 });
    expect(server.requests).toHaveLength(2);
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c' });
  });

  it('stops after 10 by default', async () => {
    const again = {
      events: [chunk({ tool_calls: [toolCall('c', 'add', '{"a":1}')] }, { finish: 'tool_calls' })],
    };
    await using server = await modelServer(Array.from({ length: 12 }, () => again));
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ add: adder }),
      messages: QUESTION,
    });
    expect(result.iterations).toBe(10);
  });

  it('takes an abort to the running tool, and answers its call', async () => {
    const controller = new AbortController();
    let toolSignal: AbortSignal | undefined;
    const wait = {
      run: async (_args: unknown, signal: AbortSignal) => {
        toolSignal = signal;
        controller.abort();
        if (!signal.aborted) await once(signal, 'abort');
        throw new Error('stopped');
      },
    };
    await using server = await modelServer([
      { events: [chunk({ tool_calls: [toolCall('c1', 'wait', '{}')] }, { finish: 'tool_calls' })] },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ wait }),
      messages: QUESTION,
      signal: controller.signal,
    });
    expect(toolSignal?.aborted).toBe(true);
    expect(result.reason).toBe('aborted');
    expect(result.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'Error: cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  it('takes an abort to the request, in the middle of its stream', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    await using server = await modelServer([
      {
        hand: (response) => {
          closed = once(response, 'close');
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          writeEvent(response, chunk({ content: 'one' }));
        },
      },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
      signal: controller.signal,
      onEvent: (event) => event.type === 'text_delta' && controller.abort(),
    });
    expect(result.reason).toBe('aborted');
    expect(result.messages).toEqual(QUESTION);
    await closed;
    expect(server.aborted()).toBe(1);
  });

  it('asks nothing where the signal is aborted already', async () => {
    await using server = await modelServer([]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ reason: 'aborted', iterations: 0 });
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, Parameters<typeof modelServer>[0][number], RegExp]>([
    ['an HTTP error', { status: 500, json: { error: { message: 'overloaded' } } }, /overloaded/],
    [
      'an answer without choices',
      { events: [{ id: 'x', object: 'chat.completion.chunk', choices: [] }] },
      /without any choice/,
    ],
    [
      'an error inside the stream',
      { events: [chunk({ content: 'a' }), { error: { message: 'broke down' } }] },
      /broke down/,
    ],
    ['a stream that breaks off', { events: [chunk({ content: 'a' })], end: 'cut' }, /./],
  ])('fails as a value on %s', async (_title, answer, message) => {
    await using server = await modelServer([answer]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
    });
    expect(result.reason).toBe('failed');
    expect(result.error?.message).toMatch(message);
    expect(result.messages).toEqual(QUESTION);
  });

  it('works without streaming, and sums usage', async () => {
    await using server = await modelServer([
      {
        json: completion(
          {
            content: 'let me see',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":5}' } }],
          },
          'stop',
        ),
      },
      { json: completion({ content: '5' }, 'stop') },
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ add: adder }),
      messages: QUESTION,
      stream: false,
    });
    expect(result).toMatchObject({ reason: 'done', text: '5', usage: { totalTokens: 30, requests: 2 } });
    expect(server.requests[0]?.body).not.toHaveProperty('stream_options');
    expect(result.messages[1]).toMatchObject({ content: 'let me see' });
  });

  it('exports strict and undoes the synthetic nulls before the host sees them', async () => {
    await using server = await modelServer([
      {
        events: [
          chunk({ tool_calls: [toolCall('c1', 'add', '{"a":1,"b":null}')] }, { finish: 'tool_calls' }),
        ],
      },
      streamedText('1'),
    ]);
    const host = recordingHost({ add: adder });
    await runAgent({ client: server.client, model: 'm', host, messages: QUESTION, strict: true });
    expect(server.requests[0]?.body.tools).toMatchObject([
      { function: { strict: true, parameters: { required: ['a', 'b'], additionalProperties: false } } },
    ]);
    expect(host.calls[0]?.arguments).toBe('{"a":1}');
  });

  it('passes further fields of the request through, but not over its own', async () => {
    await using server = await modelServer([streamedText('x')]);
    await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({}),
      messages: QUESTION,
      request: { temperature: 0.5 },
      streamUsage: false,
    });
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.5, model: 'm', stream: true });
    expect(server.requests[0]?.body).not.toHaveProperty('stream_options');
  });

  it('shows pictures that a tool gave in a user message after all tool messages', async () => {
    const parts = [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }];
    await using server = await modelServer([
      {
        events: [
          chunk(
            { tool_calls: [toolCall('c1', 'draw', '{}'), toolCall('c2', 'draw', '{}', 1)] },
            { finish: 'tool_calls' },
          ),
        ],
      },
      streamedText('ok'),
    ]);
    const result = await runAgent({
      client: server.client,
      model: 'm',
      host: recordingHost({ draw: { run: () => ({ parts }) } }),
      messages: QUESTION,
    });
    expect(result.messages.slice(2, 6).map((message) => message.role)).toEqual([
      'tool',
      'tool',
      'user',
      'user',
    ]);
    expect(result.messages[4]).toMatchObject({
      content: [{ type: 'text' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }],
    });
  });

  it('survives a host that throws, without telling the model what it threw', async () => {
    await using server = await modelServer([
      { events: [chunk({ tool_calls: [toolCall('c1', 'add', '{"a":1}')] }, { finish: 'tool_calls' })] },
      streamedText('ok'),
    ]);
    const host = { ...recordingHost({ add: adder }), call: () => Promise.reject(new Error('/secret/path')) };
    const result = await runAgent({ client: server.client, model: 'm', host, messages: QUESTION });
    expect(result.reason).toBe('done');
    expect(result.messages[2]?.content).toMatch(/^Error: /);
    expect(result.messages[2]?.content).not.toContain('secret');
  });

  it('tells a programmer who gave it no tools', async () => {
    await using server = await modelServer([]);
    const host = { call: recordingHost({}).call };
    await expect(runAgent({ client: server.client, model: 'm', host, messages: QUESTION })).rejects.toThrow(
      /needs `tools`/,
    );
  });
});
