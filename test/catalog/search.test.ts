import { describe, expect, it } from 'vitest';
import { runAgent } from '../../core/agent/run-agent.ts';
import type { CallResult } from '../../core/call/result.ts';
import { createSearchTool, SEARCH_TOOL_NAME, ToolSearch } from '../../core/catalog/search.ts';
import type { Tool, ToolRun } from '../../core/catalog/tool.ts';
import { Toolset } from '../../core/catalog/toolset.ts';
import { createView, type View } from '../../core/catalog/view.ts';
import { manifestOf } from '../adapters/support.ts';
import { chunk, modelServer, streamedText, toolCall } from '../agent/model-server.ts';
import { toolOf } from '../agent/recording-host.ts';

function tool(name: string, description: string, properties: object = {}, tags: string[] = []): Tool {
  return toolOf(manifestOf(name, { type: 'object', properties: { ...properties } }, { description, tags }));
}

const LIST = [
  tool('calendar.create_event', 'Creates an event in a calendar.', { startsAt: { type: 'string' } }),
  tool('github.createIssue', 'Opens an issue in a repository.'),
  tool('weather', 'Tells the weather forecast of a city.', { city: { type: 'string' } }, ['climate']),
  tool('translate', 'Translates a text into another language.'),
  tool('天气预报', '查询一个城市的天气预报。'),
  tool('send_mail', 'Sends an e-mail.', { recipients: { type: 'array' } }),
];

const names = (query: string, limit?: number): string[] =>
  new ToolSearch({ list: () => LIST })
    .search(query, limit === undefined ? {} : { limit })
    .map(({ tool: found }) => found.manifest.name);

describe('ToolSearch finds', () => {
  it.each([
    ['create a calendar event', 'calendar.create_event'],
    ['issues', 'github.createIssue'],
    ['forcast', 'weather'],
    ['climate', 'weather'],
    ['starts at', 'calendar.create_event'],
    ['RECIPIENT', 'send_mail'],
    ['translation', 'translate'],
    ['天气', '天气预报'],
  ])('for %j first %s', (query, name) => {
    expect(names(query)[0]).toBe(name);
  });

  it.each(['', '   ', 'zzzzqqqq', '!!!'])('nothing for %j', (query) => {
    expect(names(query)).toEqual([]);
  });

  it('as many as asked, never more than 20', () => {
    const list = Array.from({ length: 50 }, (_, index) => tool(`mail_${index}`, 'Sends mail.'));
    const search = new ToolSearch({ list: () => list });
    expect(search.search('mail')).toHaveLength(5);
    expect(search.search('mail', { limit: 7 })).toHaveLength(7);
    expect(search.search('mail', { limit: 1_000 })).toHaveLength(20);
    expect(search.search('mail', { limit: 0 })).toHaveLength(1);
  });

  it('what the list holds now', () => {
    let list = [tool('alpha', 'Draws maps.')];
    const search = new ToolSearch({ list: () => list });
    expect(search.search('maps')).toHaveLength(1);
    list = [tool('alpha', 'Counts sheep.'), tool('beta', 'Draws maps.')];
    expect(search.search('maps').map((found) => found.tool.manifest.name)).toEqual(['beta']);
    list = [];
    expect(search.search('maps')).toEqual([]);
  });
});

const run = (args: object, view?: View): ToolRun => ({
  argumentsJson: JSON.stringify(args),
  env: {},
  broker: () => Promise.reject(new Error('asks nothing of the host')),
  ...(view === undefined ? {} : { view }),
});

describe('search_tools', () => {
  it('searches what the caller may see, and nothing else', async () => {
    const searchTool = createSearchTool({ all: { list: () => LIST } });
    const wide = await searchTool.run(run({ query: 'weather forecast city' }));
    expect(wide).toMatchObject({ kind: 'value' });
    expect(JSON.parse(wide.kind === 'value' ? (wide.json ?? '') : '')[0]).toEqual({
      name: 'weather',
      description: 'Tells the weather forecast of a city.',
      arguments: ['city'],
    });
    const view = createView(LIST, { deny: ['weather'] });
    const narrow = await searchTool.run(run({ query: 'weather forecast city' }, view));
    expect(JSON.stringify(narrow)).not.toContain('Tells the weather');
  });

  it('never finds itself', async () => {
    const searchTool = createSearchTool({ all: { list: () => [...LIST, searchTool] } });
    const outcome = await searchTool.run(run({ query: 'search tools find' }));
    expect(JSON.stringify(outcome)).not.toContain(SEARCH_TOOL_NAME);
  });
});

const found = (...tools: string[]): CallResult => ({
  ok: true,
  content: '',
  value: tools.map((name) => ({ name })),
  tool: { name: SEARCH_TOOL_NAME },
  usage: { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 },
});

describe('a toolset', () => {
  const searchTool = createSearchTool({ all: { list: () => LIST } });
  const many = [
    ...Array.from({ length: 60 }, (_, index) => tool(`tool_${index}`, `Number ${index}.`)),
    ...LIST,
    searchTool,
  ];
  const listed = (set: Toolset): string[] => set.listed().map((one) => one.manifest.name);

  it('lists all of a small view', () => {
    const set = new Toolset(createView([...LIST, searchTool]));
    expect(set.deferred).toBe(false);
    expect(listed(set)).toHaveLength(LIST.length + 1);
  });

  it('lists of a large view only the search, what is kept, and what was found, in the order found', () => {
    const set = new Toolset(createView(many), { keep: ['send_*'] });
    expect(set.deferred).toBe(true);
    expect(listed(set)).toEqual(['search_tools', 'send_mail']);
    const before = JSON.stringify(set.export('openai').tools);
    set.observe(SEARCH_TOOL_NAME, found('weather', 'send_mail'));
    set.observe(SEARCH_TOOL_NAME, found('translate', 'weather', 'no_such_tool'));
    set.observe('other', found('tool_1'));
    expect(listed(set)).toEqual(['search_tools', 'send_mail', 'weather', 'translate']);
    // What was there stays where it was: the cached prompt goes on.
    expect(JSON.stringify(set.export('openai').tools).startsWith(before.slice(0, -1))).toBe(true);
  });

  it('lets every tool of the view be called, listed or not', () => {
    const set = new Toolset(createView(many, { deny: ['tool_1'] }));
    expect(set.has('tool_2')).toBe(true);
    expect(set.has('tool_1')).toBe(false);
    set.load(['tool_1']);
    expect(listed(set)).not.toContain('tool_1');
  });

  it('drops the oldest beyond its bound', () => {
    const set = new Toolset(createView(many), { maxLoaded: 2 });
    set.load(['tool_1', 'tool_2', 'tool_3']);
    expect(listed(set)).toEqual(['search_tools', 'tool_2', 'tool_3']);
  });

  it('lists all where there is no search to find them with', () => {
    const set = new Toolset(createView(many, { deny: [SEARCH_TOOL_NAME] }));
    expect(set.deferred).toBe(false);
    expect(listed(set)).toHaveLength(many.length - 1);
  });

  it('shows a model in its next turn what it searched for', async () => {
    await using server = await modelServer([
      {
        events: [
          chunk(
            { tool_calls: [toolCall('c1', SEARCH_TOOL_NAME, '{"query":"weather"}')] },
            { finish: 'tool_calls' },
          ),
        ],
      },
      streamedText('done'),
    ]);
    const host = { call: async () => found('weather') };
    await runAgent({
      client: server.client,
      model: 'm',
      host,
      tools: new Toolset(createView(many)),
      messages: [{ role: 'user', content: 'weather?' }],
    });
    const seen = server.requests.map(({ body }) =>
      (body.tools as { function: { name: string } }[]).map((form) => form.function.name),
    );
    expect(seen).toEqual([['search_tools'], ['search_tools', 'weather']]);
  });
});
