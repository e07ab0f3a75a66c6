import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { PLUGINS_DIR, pluginNames, readExamples } from './by-import.ts';

let host: Host;
beforeAll(async () => {
  host = await createHost({ config: { plugins: PLUGINS_DIR }, watch: false });
  await host.ready;
});
afterAll(() => host.close());

describe.each(pluginNames)('%s in the sandbox', (name) => {
  it('is ready, without a warning', () => {
    expect(host.catalog.get(name)).toMatchObject({ state: 'ready', problems: [], warnings: [] });
  });

  // Without a result: what comes of it depends on the world, or changes it.
  const examples = readExamples(name)
    .filter((example) => example.result !== undefined)
    .map((example) => [JSON.stringify(example.arguments), example] as const);
  it('has examples', () => {
    expect(readExamples(name).length).toBeGreaterThan(0);
  });

  it.each(examples)('answers its example %s', async (_, example) => {
    const result = await host.call({ name, arguments: example.arguments });
    expect(result.ok ? result.value : result.error).toEqual(example.result);
  });
});

it.each([
  ['calculator', { expression: '1/0' }, /Division by zero/],
  ['convert_units', { value: 1, from: 'kg', to: 'm' }, /mass and m one of length/],
  ['query_json', { data: {}, query: '$sum(' }, /at character 5/],
  ['parse_csv', { text: 'a\n1', columns: ['b'] }, /no column "b"/],
  ['date_math', { operation: 'add' }, /needs "date"/],
])('%s tells a model what is wrong with %j', async (name, args, reason) => {
  const result = await host.call({ name, arguments: args });
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'tool_error' },
    content: expect.stringMatching(reason),
  });
});

it.each([
  ['calculator', { expression: `${'('.repeat(2_000)}1${')'.repeat(1_900)}` }],
  ['calculator', { expression: 'x = 10; y = sum(1:10000) ^ 1e15; sin(y)' }],
  ['calculator', { expression: `${'2^'.repeat(1_000)}2` }],
  ['query_json', { data: [], query: '($f := function($x) { $f($x + 1) + 1 }; $f(1))' }],
  ['query_json', { data: 'x', query: '1' }],
  ['parse_csv', { text: '"'.repeat(100_001) }],
  ['markdown_to_html', { markdown: '['.repeat(20_000) }],
  ['markdown_to_html', { markdown: '>'.repeat(5_000) }],
  ['text_diff', { before: 'a\n'.repeat(50_000), after: 'b\n'.repeat(50_000) }],
  ['date_math', { operation: 'add', date: '2026-01-01', duration: 'P999999999Y' }],
])('%s ends with an answer on a nasty input', async (name, args) => {
  const result = await host.call({ name, arguments: args });
  expect(result.content.length).toBeGreaterThan(0);
  expect(result.ok ? 'ok' : result.error.code).toMatch(
    /^(ok|tool_error|cpu_limit|memory_limit|output_limit)$/,
  );
});
