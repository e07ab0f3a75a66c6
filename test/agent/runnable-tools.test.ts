import { expect, it } from 'vitest';
import { runnableTools } from '../../core/agent/runnable-tools.ts';
import { completion, modelServer } from './model-server.ts';
import { recordingHost } from './recording-host.ts';

const call = (id: string, name: string, args: string): unknown => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const messages = [{ role: 'user' as const, content: 'go' }];

it('plugs into runTools of the openai client, names and nulls undone', async () => {
  await using server = await modelServer([
    { json: completion({ tool_calls: [call('c1', 'math_add', '{"a":1,"b":null}')] }, 'tool_calls') },
    { json: completion({ content: 'one' }, 'stop') },
  ]);
  const parameters = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a'],
  };
  const host = recordingHost({ 'math.add': { parameters, run: ({ a }) => `is ${a}` } });
  const runner = server.client.chat.completions.runTools({
    model: 'm',
    messages,
    tools: runnableTools(host, { session: 's', strict: true }),
  });
  expect(await runner.finalContent()).toBe('one');
  expect(host.calls).toMatchObject([{ name: 'math.add', arguments: '{"a":1}', session: 's' }]);
  expect(runner.messages).toContainEqual({ role: 'tool', tool_call_id: 'c1', content: 'is 1' });
});

it('answers broken arguments, failing tools and a throwing host with text, so that the run goes on', async () => {
  await using server = await modelServer([
    {
      json: completion(
        { tool_calls: [call('c1', 'add', '{"a":'), call('c2', 'fail', '{}'), call('c3', 'nope', '{}')] },
        'tool_calls',
      ),
    },
    { json: completion({ content: 'end' }, 'stop') },
  ]);
  const host = recordingHost({
    add: { run: () => 'x' },
    fail: {
      run: () => {
        throw new Error('boom');
      },
    },
  });
  const runner = server.client.chat.completions.runTools({
    model: 'm',
    messages,
    tools: runnableTools(host),
  });
  expect(await runner.finalContent()).toBe('end');
  const answers = runner.messages
    .filter((message) => message.role === 'tool')
    .map((message) => message.content);
  expect(answers.slice(0, 2)).toEqual(['Error: malformed_arguments', 'Error: cancelled']);
  expect(answers[2]).toContain('nope');
});

it('never throws, even where its host does', async () => {
  const host = {
    ...recordingHost({ add: { run: () => 'x' } }),
    call: () => Promise.reject(new Error('/etc/secret')),
  };
  const [tool] = runnableTools(host);
  const runner = { controller: new AbortController() } as never; // cast: the only part of a runner that is used
  const answer = await tool?.function.function('{}', runner, undefined);
  expect(answer).toMatch(/^Error: /);
  expect(answer).not.toContain('secret');
});

it.each([undefined, null, 5, {}, '{'])('never throws, called by hand with %j and no runner', async (text) => {
  const host = recordingHost({ add: { run: () => 'x' } });
  const [tool] = runnableTools(host);
  const run = tool?.function.function as (text: unknown) => Promise<string>; // what plain JavaScript may do
  expect(typeof (await run(text))).toBe('string');
});
