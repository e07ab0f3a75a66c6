// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config's own syntax
import { expect, test } from 'vitest';
import { tool, workspace } from './fixture.ts';

const NAMES = [
  ...['hang', 'raw_arguments', 'huge', 'fails', 'refuses', 'odd_content', 'environment', 'asks', 'progress'],
  ...['what_was_cancelled', 'change'],
];

async function fixtureHost(more: object = {}) {
  const { host: open, server } = await workspace();
  const structured = tool('structured', {
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  });
  const missing = tool('change_and_promise', { outputSchema: { type: 'object' } });
  return open({
    s: await server({ tools: [...NAMES.map((name) => tool(name)), structured, missing] }, more),
  });
}

test('the server gets the digits that the model wrote', async () => {
  const host = await fixtureHost();
  const json = '{"id":12345678901234567890,"ratio":0.1}';
  const { content } = await host.call({ name: 's.raw_arguments', arguments: json });
  expect(content).toBe(json);
});

test("a failure comes back with the server's own words", async () => {
  const host = await fixtureHost();
  for (const [name, words] of [
    ['s.fails', 'the disk is full, try fewer files'],
    ['s.refuses', 'no such city'],
  ] as const) {
    const result = await host.call({ name, arguments: {} });
    expect(result.ok).toBe(false);
    expect(result.content).toContain(words);
  }
});

test('structured content is the value, and is held against the output schema', async () => {
  const host = await fixtureHost();
  expect(await host.call({ name: 's.structured', arguments: { n: 3 } })).toMatchObject({
    ok: true,
    value: { n: 3 },
  });
  expect(await host.call({ name: 's.structured', arguments: { n: 'three' } })).toMatchObject({
    ok: false,
    error: { code: 'invalid_result' },
  });
});

test('content of an unknown kind takes nothing else away', async () => {
  const host = await fixtureHost();
  const { content } = await host.call({ name: 's.odd_content', arguments: {} });
  expect(content).toBe('[content of the type "hologram" that can\'t be shown]\nstill here');
});

test('a deadline and a caller that leaves are told to the server', async () => {
  const host = await fixtureHost({ timeoutMs: 100 });
  expect(await host.call({ name: 's.hang', arguments: {} })).toMatchObject({ error: { code: 'timeout' } });
  const leaving = new AbortController();
  const call = host.call({ name: 's.hang', arguments: { again: true }, signal: leaving.signal });
  setTimeout(() => leaving.abort(), 20);
  expect(await call).toMatchObject({ error: { code: 'cancelled' } });
  const { content } = await host.call({ name: 's.what_was_cancelled', arguments: {} });
  expect(JSON.parse(content)).toHaveLength(2);
});

test('an answer past all bounds ends its call and no other', async () => {
  const host = await fixtureHost();
  const [huge, other] = await Promise.all([
    host.call({ name: 's.huge', arguments: {} }),
    host.call({ name: 's.change', arguments: {} }),
  ]);
  expect(huge).toMatchObject({ ok: false, error: { code: 'output_limit' } });
  expect(other).toMatchObject({ ok: true });
  expect(await host.call({ name: 's.change', arguments: {} })).toMatchObject({ ok: true });
});

test('what a server asks of its client is answered as not supported, at once', async () => {
  const host = await fixtureHost();
  const { content } = await host.call({ name: 's.asks', arguments: {} });
  expect(JSON.parse(content)).toMatchObject({ code: -32601 });
});

test('progress is passed on', async () => {
  const host = await fixtureHost();
  const seen: unknown[] = [];
  await host.call({ name: 's.progress', arguments: {}, onProgress: (value) => seen.push(value) });
  expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
});

test('values of variables and what is named as a secret are given to the server and seen by nobody', async () => {
  process.env.GLOVEBOX_TEST_VALUE = 'from-the-host-4711';
  try {
    const env = { SOME: '${GLOVEBOX_TEST_VALUE}', API_KEY: 'written-out-0815', PLAIN: 'plain' };
    const host = await fixtureHost({ env });
    const { content } = await host.call({ name: 's.environment', arguments: {} });
    expect(JSON.parse(content)).toEqual({ SOME: '[redacted]', API_KEY: '[redacted]', PLAIN: 'plain' });
  } finally {
    delete process.env.GLOVEBOX_TEST_VALUE;
  }
});

test('a variable that is not set keeps its server from starting, and says so', async () => {
  const { host: open, server } = await workspace();
  const settings = await server(
    { tools: [tool('change')] },
    { env: { A: '${GLOVEBOX_NOT_SET}', B: '${input:key}' } },
  );
  const host = await open({ s: settings });
  expect(host.catalog.get('s.*')?.problems[0]?.message).toContain('GLOVEBOX_NOT_SET is not set');
});
