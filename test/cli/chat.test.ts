import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AskInChat, type ChatHost, type ChatOptions, chat } from '../../core/cli/chat.ts';
import {
  chunk,
  message,
  modelServer,
  response,
  streamedText,
  toolCall,
  writeEvent,
} from '../agent/model-server.ts';
import { readArgumentsText } from '../agent/read-arguments-text.ts';
import { type RecordingHost, recordingHost } from '../agent/recording-host.ts';

const call = (...calls: unknown[]) => ({ events: [chunk({ tool_calls: calls }, { finish: 'tool_calls' })] });

/** As a host does: asks before a tool that destroys things. */
function asking(host: RecordingHost, ask: AskInChat): ChatHost {
  return {
    ...host,
    async call(request) {
      const tool = host.view().get(request.name);
      if (tool?.manifest.annotations.destructive !== true) return host.call(request);
      const args = readArgumentsText(request.arguments) ?? {};
      const { approved, reason } = await ask({
        tool,
        arguments: args,
        signal: request.signal ?? new AbortController().signal,
      });
      if (approved) return host.call(request);
      const usage = { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 };
      const message = `not approved: ${reason}`;
      const error = { code: 'not_approved', message, outcome: 'did_not_run', retry: 'never' } as const;
      return { ok: false, content: message, tool: { name: request.name }, usage, error };
    },
  };
}

interface Session {
  readonly input: PassThrough;
  readonly out: () => string;
  readonly err: () => string;
  readonly done: Promise<0 | 1>;
  /** Resolves when stderr holds the text. */
  shows(text: string): Promise<void>;
}

function open(host: RecordingHost, baseURL: string, options: ChatOptions, interactive = true): Session {
  const input = new PassThrough();
  const output = new PassThrough();
  const error = new PassThrough();
  let out = '';
  let err = '';
  output.on('data', (data) => {
    out += data;
  });
  error.on('data', (data) => {
    err += data;
  });
  const env = { OPENAI_BASE_URL: baseURL };
  const done = chat(
    (ask) => asking(host, ask),
    { model: 'm', ...options },
    { input, output, error, interactive, env },
  );
  return {
    input,
    out: () => out,
    err: () => err,
    done,
    async shows(text) {
      while (!err.includes(text)) await turn();
    },
  };
}

const adder = {
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
  run: ({ a }: Record<string, unknown>) => `sum ${a}`,
};
const wiper = { ...adder, manifest: { annotations: { destructive: true } } };

describe('chat', () => {
  it('prints the text alone on stdout, shows calls and results beside it, and keeps the conversation', async () => {
    await using server = await modelServer([
      call(toolCall('c1', 'math_add', '{"a":1}')),
      streamedText('It ', 'is 1.'),
      streamedText('Bye.'),
    ]);
    const session = open(recordingHost({ 'math.add': adder }), server.client.baseURL, {}, false);
    session.input.end('add 1\n\nthanks\n');
    expect(await session.done).toBe(0);
    expect(session.out()).toBe('It is 1.\nBye.\n');
    expect(session.err()).toBe('-> math.add {"a":1}\n<- math.add: sum 1\n');
    const roles = ['user', 'assistant', 'tool', 'assistant', 'user'];
    expect(server.requests[2]?.body.messages).toMatchObject(roles.map((role) => ({ role })));
  });

  it('speaks Responses too, with a system message', async () => {
    await using server = await modelServer([
      { events: [{ type: 'response.completed', response: response([message('Hi.')]) }] },
    ]);
    const session = open(
      recordingHost({}),
      server.client.baseURL,
      { api: 'responses', system: 'Be brief.' },
      false,
    );
    session.input.end('hello\n');
    expect(await session.done).toBe(0);
    expect(server.requests[0]?.body.input).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ]);
  });

  it.each([
    ['y', true],
    ['yes', true],
    ['n', false],
    ['', false],
  ])('asks before a tool that destroys things: %j', async (answer, runs) => {
    await using server = await modelServer([call(toolCall('c1', 'wipe', '{"a":7}')), streamedText('ok')]);
    const host = recordingHost({ wipe: wiper });
    const session = open(host, server.client.baseURL, {});
    session.input.write('wipe it\n');
    await session.shows('Run it? [y/N]');
    expect(session.err()).toContain('The model wants to call wipe: Does wipe.\n{"a":7}\n');
    expect(host.calls).toHaveLength(0);
    session.input.end(`${answer}\n`);
    await session.done;
    expect(host.calls).toHaveLength(runs ? 1 : 0);
    if (!runs) expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('the user said no');
  });

  it('asks one question at a time', async () => {
    await using server = await modelServer([
      call(toolCall('c1', 'wipe', '{"a":1}'), toolCall('c2', 'wipe', '{"a":2}', 1)),
      streamedText('ok'),
    ]);
    const host = recordingHost({ wipe: wiper });
    const session = open(host, server.client.baseURL, {});
    session.input.write('wipe both\n');
    await session.shows('{"a":1}\nRun it?'.slice(0, 8));
    expect(session.err().match(/Run it/g) ?? []).not.toHaveLength(2);
    session.input.end('n\ny\n');
    await session.done;
    expect(host.calls.map((request) => request.id)).toEqual(['c2']);
  });

  it('refuses where there is nobody to ask, unless told to say yes', async () => {
    for (const yes of [false, true]) {
      await using server = await modelServer([call(toolCall('c1', 'wipe', '{}')), streamedText('ok')]);
      const host = recordingHost({ wipe: wiper });
      const session = open(host, server.client.baseURL, { yes }, false);
      session.input.end('wipe it\n');
      await session.done;
      expect(host.calls).toHaveLength(yes ? 1 : 0);
      if (!yes) expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('nobody to ask');
    }
  });

  it('shows only the tools that may be seen', async () => {
    await using server = await modelServer([streamedText('ok')]);
    const session = open(recordingHost({ 'math.add': adder, wipe: wiper }), server.client.baseURL, {
      deny: ['wipe'],
    });
    session.input.end('/tools\nhello\n/exit\n');
    await session.done;
    expect(session.err()).toContain('math.add: Does math.add.');
    expect(session.err()).not.toContain('wipe');
    expect(server.requests[0]?.body.tools).toMatchObject([{ function: { name: 'math_add' } }]);
  });

  it('takes control characters out of what others wrote', async () => {
    const evil = { ...adder, run: () => '\u001b[2Jfake prompt \u202Eevil' };
    await using server = await modelServer([
      call(toolCall('c1', 'evil', '{"a":"\\u001b[1A"}')),
      streamedText('\u001b]0;title\u0007ok'),
    ]);
    const session = open(recordingHost({ evil }), server.client.baseURL, {}, false);
    session.input.end('go\n');
    await session.done;
    expect(session.out() + session.err()).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    expect(session.out()).toContain('ok');
  });

  it('tells that the endpoint failed, goes on, and ends with 1 where nobody watched', async () => {
    await using server = await modelServer([
      { status: 400, json: { error: { message: 'too busy' } } },
      streamedText('back'),
    ]);
    const session = open(recordingHost({}), server.client.baseURL, {}, false);
    session.input.end('one\ntwo\n');
    expect(await session.done).toBe(1);
    expect(session.err()).toContain('too busy');
    expect(session.out()).toBe('back\n');
  });

  it('says why an answer ended early', async () => {
    await using server = await modelServer([
      { events: [chunk({ content: 'hal' }, { finish: 'length' })] },
      call(toolCall('c', 'add', '{"a":1}')),
    ]);
    const session = open(recordingHost({ add: adder }), server.client.baseURL, { maxIterations: 1 }, false);
    session.input.end('one\ntwo\n');
    await session.done;
    expect(session.err()).toContain('(cut: the model reached its token limit)');
    expect(session.err()).toContain('(stopped after 1 requests; ask again to go on)');
  });

  it('shows text while the answer is still coming', async () => {
    let finish: () => void = () => {};
    await using server = await modelServer([
      {
        hand: async (reply) => {
          reply.writeHead(200, { 'content-type': 'text/event-stream' });
          writeEvent(reply, chunk({ content: 'early' }));
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          writeEvent(reply, chunk({ content: ' late' }, { finish: 'stop' }));
          reply.end('data: [DONE]\n\n');
        },
      },
    ]);
    const session = open(recordingHost({}), server.client.baseURL, {}, false);
    session.input.end('go\n');
    while (session.out() !== 'early') await turn();
    finish();
    await session.done;
    expect(session.out()).toBe('early late\n');
  });

  it.each([
    [{}, { OPENAI_API_KEY: 'k' }, /which model/],
    [{ model: 'm' }, {}, /set OPENAI_API_KEY, or OPENAI_BASE_URL/],
  ])('says what is missing: %j %j', async (options, env, pattern) => {
    const streams = { input: new PassThrough(), output: new PassThrough(), error: new PassThrough(), env };
    await expect(chat(() => recordingHost({}), options, streams)).rejects.toThrow(pattern);
  });

  it('takes the model from the environment', async () => {
    await using server = await modelServer([streamedText('x')]);
    const input = new PassThrough();
    input.end('hi\n');
    const env = { OPENAI_MODEL: 'from-env', OPENAI_BASE_URL: server.client.baseURL };
    await chat(
      () => recordingHost({}),
      {},
      { input, output: new PassThrough(), error: new PassThrough(), env },
    );
    expect(server.requests[0]?.body.model).toBe('from-env');
  });
});
