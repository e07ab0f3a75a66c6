import { describe, expect, it } from 'vitest';
import { runAgent } from '../../core/agent/run-agent.ts';
import { type Answer, functionCall, message, modelServer, response } from './model-server.ts';
import { meeting, recordingHost } from './recording-host.ts';

const QUESTION = [{ role: 'user' as const, content: 'Add 1 and 2.' }];
const numbers = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const adder = { parameters: numbers, run: ({ a }: Record<string, unknown>) => ({ sum: Number(a) }) };
const base = { api: 'responses' as const, model: 'm', messages: QUESTION };

const created = { type: 'response.created', response: response([], { status: 'in_progress' }) };
const completed = (output: readonly unknown[], more: object = {}): unknown => ({
  type: 'response.completed',
  response: response(output, more),
});
const textEvents = (...pieces: readonly string[]): unknown[] =>
  pieces.map((delta) => ({
    type: 'response.output_text.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta,
  }));
const said = (text: string): Answer => ({
  events: [created, ...textEvents(text), completed([message(text)])],
});

function callEvents(id: string, name: string, args: readonly string[], index: number): unknown[] {
  const item = functionCall(id, name, '');
  return [
    { type: 'response.output_item.added', output_index: index, item },
    ...args.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: `fc_${id}`,
      output_index: index,
      delta,
    })),
    {
      type: 'response.function_call_arguments.done',
      item_id: `fc_${id}`,
      output_index: index,
      arguments: args.join(''),
    },
    { type: 'response.output_item.done', output_index: index, item: functionCall(id, name, args.join('')) },
  ];
}

const sharedId = [1, 2].map((a) => ({
  type: 'function_call',
  id: 'fc_same',
  call_id: 'same',
  name: 'add',
  arguments: `{"a":${a}}`,
}));

describe('runAgent over Responses', () => {
  it('streams text, and sends the whole conversation each time', async () => {
    await using server = await modelServer([
      {
        events: [
          created,
          ...callEvents('c1', 'math_add', ['{"a"', ':1}'], 0),
          completed([functionCall('c1', 'math_add', '{"a":1}')]),
        ],
      },
      { events: [created, ...textEvents('It is ', '1'), completed([message('It is 1')])] },
    ]);
    const host = recordingHost({ 'math.add': adder });
    const deltas: string[] = [];
    const result = await runAgent({
      ...base,
      client: server.client,
      host,
      onEvent: (event) => event.type === 'text_delta' && deltas.push(event.delta),
    });
    expect(deltas).toEqual(['It is ', '1']);
    expect(host.calls).toMatchObject([{ name: 'math.add', arguments: '{"a":1}', id: 'c1' }]);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/responses',
      body: { input: QUESTION, tools: [{ type: 'function', name: 'math_add', strict: false }] },
    });
    expect(server.requests[1]?.body.input).toEqual([
      ...QUESTION,
      { id: 'fc_c1', type: 'function_call', call_id: 'c1', name: 'math_add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"sum":1}' },
    ]);
    expect(result).toMatchObject({
      reason: 'done',
      text: 'It is 1',
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30, reasoningTokens: 4, requests: 2 },
    });
    expect(result.messages).toHaveLength(4);
  });

  it('works without streaming, and sends reasoning items back as they came', async () => {
    const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'abc' };
    await using server = await modelServer([
      { json: response([reasoning, functionCall('c1', 'add', '{"a":1}')]) },
      { json: response([message('1')]) },
    ]);
    const result = await runAgent({
      ...base,
      client: server.client,
      host: recordingHost({ add: adder }),
      stream: false,
    });
    expect(result.text).toBe('1');
    expect(server.requests[1]?.body.input).toMatchObject([{}, reasoning, {}, {}]);
  });

  it('runs parallel calls at the same time', async () => {
    const meet = meeting(2);
    const slow = {
      parameters: numbers,
      run: async ({ a }: Record<string, unknown>) => {
        await meet();
        return `got ${a}`;
      },
    };
    const output = [functionCall('c1', 'slow', '{"a":1}'), functionCall('c2', 'slow', '{"a":2}')];
    await using server = await modelServer([{ events: [created, completed(output)] }, said('ok')]);
    const host = recordingHost({ slow });
    const result = await runAgent({ ...base, client: server.client, host });
    expect(host.peak()).toBe(2);
    expect(result.messages.slice(3, 5)).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'got 1' },
      { type: 'function_call_output', call_id: 'c2', output: 'got 2' },
    ]);
  });

  const items = (events: unknown[], keep: readonly string[]): unknown[] =>
    events.filter((event) => keep.includes((event as { type: string }).type));
  const ADDED = 'response.output_item.added';
  const DELTA = 'response.function_call_arguments.delta';
  const DONE = 'response.output_item.done';
  const two = [
    ...callEvents('c1', 'add', ['{"a"', ':1}'], 0),
    ...callEvents('c2', 'add', ['{"a"', ':2}'], 1),
  ];
  const without = (events: unknown[], ...fields: readonly string[]): unknown[] =>
    events.map((event) =>
      Object.fromEntries(Object.entries(event as object).filter(([key]) => !fields.includes(key))),
    );

  it.each<[string, unknown[]]>([
    ['no summary at the end', two],
    ['an empty summary', [...two, completed([])]],
    ['deltas only', [...items(two, [ADDED, DELTA]), completed([])]],
    ['done items only', items(two, [DONE])],
    ['position always 0', two.map((event) => ({ ...(event as object), output_index: 0 }))],
    ['no position', without(two, 'output_index')],
    ['neither position nor item id', without(two, 'output_index', 'item_id')],
    ['interleaved deltas', [...items(two, [ADDED]), two[1], two[6], two[2], two[7], completed([])]],
    ['arguments before the item', [two[1], two[2], two[0], two[6], two[7], two[5]]],
  ])('reads a server with %s', async (_title, events) => {
    await using server = await modelServer([{ events }, said('ok')]);
    const host = recordingHost({ add: adder });
    await runAgent({ ...base, client: server.client, host });
    expect(host.calls.map((call) => [call.id, call.name, call.arguments])).toEqual([
      ['c1', 'add', '{"a":1}'],
      ['c2', 'add', '{"a":2}'],
    ]);
  });

  it('gives a call without a call id one that its answer shares', async () => {
    const call = { type: 'function_call', name: 'add', arguments: '{"a":1}' };
    await using server = await modelServer([{ events: [completed([call])] }, said('ok')]);
    const result = await runAgent({ ...base, client: server.client, host: recordingHost({ add: adder }) });
    const [sent, answered] = result.messages.slice(1) as { call_id?: string }[];
    expect(sent?.call_id).toMatch(/^call_/);
    expect(answered?.call_id).toBe(sent?.call_id);
  });

  it.each<[string, unknown[]]>([
    ['in the summary', [completed(sharedId)]],
    [
      'in a stream without a summary',
      sharedId.flatMap((call, position) => [
        { type: 'response.output_item.added', output_index: position, item: { ...call, arguments: '' } },
        {
          type: 'response.function_call_arguments.delta',
          output_index: position,
          item_id: call.id,
          delta: call.arguments,
        },
        { type: 'response.output_item.done', output_index: position, item: call },
      ]),
    ],
  ])('tells calls apart that share an id %s', async (_title, events) => {
    await using server = await modelServer([{ events }, said('ok')]);
    const host = recordingHost({ add: adder });
    const result = await runAgent({ ...base, client: server.client, host });
    expect(host.calls.map((call) => call.arguments)).toEqual(['{"a":1}', '{"a":2}']);
    const ids = (type: string) =>
      (result.messages as { type?: string; call_id?: string }[])
        .filter((item) => item.type === type)
        .map((item) => item.call_id);
    expect(new Set(ids('function_call')).size).toBe(2);
    expect(ids('function_call_output')).toEqual(ids('function_call'));
  });

  it('takes an item for one call where its id changes on the way', async () => {
    const call = { ...sharedId[0], id: 'fc_early' };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item: { ...call, id: 'fc_late' } },
    ];
    await using server = await modelServer([{ events }, said('ok')]);
    const host = recordingHost({ add: adder });
    await runAgent({ ...base, client: server.client, host });
    expect(host.calls.map((one) => one.arguments)).toEqual(['{"a":1}']);
  });

  it('never runs a call that was cut', async () => {
    const cut = { ...(functionCall('c2', 'add', '{"a":2,') as object), status: 'incomplete' };
    const incomplete = {
      type: 'response.incomplete',
      response: response([functionCall('c1', 'add', '{"a":1}'), cut], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    };
    await using server = await modelServer([{ events: [created, incomplete] }, said('ok')]);
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
    const result = await runAgent({ ...base, client: server.client, host });
    expect(ran).toEqual([{ a: 1 }]);
    expect(host.calls.map((call) => call.finishReason)).toEqual([undefined, 'length']);
    expect(result.messages[2]).toMatchObject({ call_id: 'c2', arguments: '{}' });
    expect(result.messages[4]).toEqual({
      type: 'function_call_output',
      call_id: 'c2',
      output: 'Error: truncated_arguments',
    });
  });

  it('says that the text was cut or withheld', async () => {
    const ended = (reason: string): Answer => ({
      events: [
        {
          type: 'response.incomplete',
          response: response([message('hal')], { status: 'incomplete', incomplete_details: { reason } }),
        },
      ],
    });
    await using server = await modelServer([ended('max_output_tokens'), ended('content_filter')]);
    const options = { ...base, client: server.client, host: recordingHost({}) };
    expect(await runAgent(options)).toMatchObject({ reason: 'length', text: 'hal' });
    expect(await runAgent(options)).toMatchObject({ reason: 'content_filter' });
  });

  it.each<[string, Answer, RegExp]>([
    [
      'a failed response',
      {
        events: [
          {
            type: 'response.failed',
            response: response([], { status: 'failed', error: { code: 'server_error', message: 'no luck' } }),
          },
        ],
      },
      /no luck/,
    ],
    [
      'an error event',
      { events: [{ type: 'error', code: 'x', message: 'went wrong', param: null }] },
      /went wrong/,
    ],
    ['a stream of nothing', { events: [created] }, /without an answer/],
    ['an HTTP error', { status: 400, json: { error: { message: 'bad schema' } } }, /bad schema/],
  ])('fails as a value on %s', async (_title, answer, pattern) => {
    await using server = await modelServer([answer]);
    const result = await runAgent({ ...base, client: server.client, host: recordingHost({}) });
    expect(result.reason).toBe('failed');
    expect(result.error?.message).toMatch(pattern);
  });

  it('shows pictures that a tool gave inside its output', async () => {
    const parts = [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }];
    await using server = await modelServer([
      { events: [completed([functionCall('c1', 'draw', '{}')])] },
      said('ok'),
    ]);
    const result = await runAgent({
      ...base,
      client: server.client,
      host: recordingHost({ draw: { run: () => ({ parts }) } }),
    });
    expect(result.messages[2]).toMatchObject({
      output: [{ type: 'input_text' }, { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }],
    });
  });
});
