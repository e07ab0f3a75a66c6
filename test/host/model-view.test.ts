import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHost, runAgent, Toolset } from '../../core/index.ts';
import { completion, modelServer } from '../agent/model-server.ts';
import { answering, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

async function hostWith(names: readonly string[], more: object = {}) {
  const root = await temporaryRoot();
  for (const name of names) {
    const schema = { ...SCHEMA, description: `Answers about ${name.replaceAll('_', ' ')}. Use it in tests.` };
    await writePlugin(path.join(root.dir, 'plugins'), name, answering(`this is ${name}`), schema);
  }
  const host = await createHost({
    config: { plugins: path.join(root.dir, 'plugins'), watch: false, ...more },
  });
  await host.ready;
  const close = async () => {
    await host.close();
    await root[Symbol.asyncDispose]();
  };
  return { host, [Symbol.asyncDispose]: close };
}

const toolCall = (id: string, name: string, args: string) => ({
  ...{ id, type: 'function' },
  function: { name, arguments: args },
});

describe('what a caller may see', () => {
  it('bounds calls, suggestions and search_tools', async () => {
    await using opened = await hostWith(['train_times', 'train_secret', 'weather']);
    const { host } = opened;
    const view = host.view({ deny: ['train_secret'] });
    const hidden = await host.call({ name: 'train_secret', view });
    expect(hidden).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    const guess = await host.call({ name: 'functions.train_secre', view });
    expect(guess.content.replace('functions.train_secre', '')).not.toContain('train_secret');
    const search = { name: 'search_tools', arguments: { query: 'train' } };
    expect(await host.call({ ...search, view })).toMatchObject({ value: [{ name: 'train_times' }] });
    expect((await host.call(search)).content).toContain('train_secret');
    expect(await host.call({ name: 'train_times', view })).toMatchObject({ ok: true });
  });

  it('is found by a model in a large catalogue, then listed and called', async () => {
    const many = Array.from({ length: 45 }, (_, index) => `filler_${index}`);
    await using opened = await hostWith([...many, 'weather']);
    const { host } = opened;
    await using server = await modelServer([
      {
        json: completion(
          { tool_calls: [toolCall('a', 'search_tools', '{"query":"weather"}')] },
          'tool_calls',
        ),
      },
      { json: completion({ tool_calls: [toolCall('b', 'weather', '{}')] }, 'tool_calls') },
      { json: completion({ content: 'done' }, 'stop') },
    ]);
    const offered: number[] = [];
    const result = await runAgent({
      ...{ client: server.client, model: 'm', host, stream: false },
      tools: new Toolset(host.view()),
      messages: [{ role: 'user', content: 'weather?' }],
      onEvent: (event) => event.type === 'request' && offered.push(event.tools),
    });
    expect(result.reason).toBe('done');
    expect(offered).toEqual([1, 2, 2]);
    expect(JSON.stringify(result.messages)).toContain('this is weather');
  });
});

describe('host.openai.runTools', () => {
  it("drives the openai package's own loop and never throws", async () => {
    await using opened = await hostWith(['weather'], { locale: 'zh' });
    await using server = await modelServer([
      {
        json: completion(
          { tool_calls: [toolCall('a', 'weather', '{"n": "x"}'), toolCall('b', 'weather', '{}')] },
          'tool_calls',
        ),
      },
      { json: completion({ content: 'end' }, 'stop') },
    ]);
    const runner = server.client.chat.completions.runTools({
      model: 'm',
      messages: [{ role: 'user', content: 'go' }],
      tools: opened.host.openai.runTools(),
    });
    expect(await runner.finalContent()).toBe('end');
    expect(runner.messages).toContainEqual({ role: 'tool', tool_call_id: 'b', content: 'this is weather' });
    expect(JSON.stringify(runner.messages)).toContain('错误');
  });
});

describe("the config's word", () => {
  it('stands above what plugins say about approvals', async () => {
    await using opened = await hostWith(['weather', 'train'], {
      approval: { rules: [{ tools: 'wea*', approval: 'always' }] },
    });
    expect(await opened.host.call({ name: 'weather' })).toMatchObject({ error: { code: 'not_approved' } });
    expect(await opened.host.call({ name: 'train' })).toMatchObject({ ok: true });
  });

  it('bounds a result in tokens, and stops a call that keeps failing', async () => {
    await using opened = await hostWith(['weather'], {
      result: { tokens: 50 },
      repeats: { tellAt: 2, stopAt: 3 },
    });
    const { host } = opened;
    host.tool({ name: 'long', description: 'Long.', parameters: { type: 'object' } }, () =>
      'word '.repeat(700),
    );
    expect(await host.call({ name: 'long' })).toMatchObject({ ok: true, truncated: expect.anything() });
    const bad = { name: 'weather', arguments: '{"n": "x"}' };
    const contents = [];
    for (let count = 0; count < 4; count += 1) contents.push((await host.call(bad)).content);
    expect(new Set(contents).size).toBeGreaterThan(1);
    expect(contents[3]).toMatch(/not run/);
  });
});
