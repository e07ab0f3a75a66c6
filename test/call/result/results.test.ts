import { describe, expect, test } from 'vitest';
import { CATALOGUES } from '../../../core/call/messages/catalogues.ts';
import { createReadMoreTool } from '../../../core/call/result/read-more.ts';
import { createTextStore } from '../../../core/call/result/text-store.ts';
import { inChunks, loadTokenCounter } from '../../../core/call/result/token-counter.ts';
import type { ExecutorOptions } from '../../../core/call/runtime.ts';
import { DEFAULT_LIMITS } from '../../../core/config/limits.ts';
import { bench, failed, gives, makeTool, succeeded, USAGE } from '../support.ts';

const givesJson = (json: string | undefined) => () => ({ kind: 'value' as const, json, usage: USAGE });

async function contentOf(value: unknown, options: ExecutorOptions = {}) {
  return succeeded(await bench([makeTool({ run: gives(value) })], {}, options).call({}));
}

describe('a short result', () => {
  test.each<[string, string | undefined, string]>([
    ['no value', undefined, 'Done. The tool returned no value.'],
    ['null', 'null', 'Done. The tool returned no value.'],
    ['a text', '"plain\\ntext"', 'plain\ntext'],
    ['a text that looks like JSON', '"{\\"a\\":1}"', '{"a":1}'],
    ['a number', '0', '0'],
    ['false', 'false', 'false'],
    ['an object', '{"a":[1,{"b":null}]}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
    ['an empty list', '[]', '[]'],
    ['a key __proto__', '{"__proto__":1}', '{\n  "__proto__": 1\n}'],
    ['digits past 2^53', '{"id":12345678901234567890}', '{\n  "id": 12345678901234567890\n}'],
  ])('of %s is shown whole', async (_title, json, content) => {
    const result = succeeded(await bench([makeTool({ run: givesJson(json) })]).call({}));
    expect(result.content).toBe(content);
    expect(result.truncated).toBeUndefined();
    expect('value' in result).toBe(json !== undefined);
  });

  test('is written without blanks on request, and told in Chinese on request', async () => {
    expect((await contentOf({ a: [1, 2] }, { format: 'compact' })).content).toBe('{"a":[1,2]}');
    expect((await contentOf(null, { locale: 'zh' })).content).toBe('已完成。该工具没有返回值。');
  });

  test('that is no JSON, or nested without end, is refused and harms nobody', async () => {
    for (const json of ['{"a":', 'undefined', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      const { error } = failed(await bench([makeTool({ run: givesJson(json) })]).call({}));
      expect(error).toMatchObject({ code: 'invalid_result', outcome: 'failed', retry: 'never' });
    }
  });
});

describe('a long result', () => {
  const ROWS = Array.from({ length: 2_000 }, (_, index) => ({ index, name: `row ${index}` }));

  test.each<[string, unknown, ExecutorOptions]>([
    ['pretty JSON', ROWS, {}],
    ['compact JSON', ROWS, { format: 'compact' }],
    ['lines', ROWS.map(({ name }) => name).join('\n'), {}],
    ['words', 'word '.repeat(5_000), {}],
    ['one long word', 'x'.repeat(50_000), {}],
    ['wide characters', '😀'.repeat(20_000), {}],
    ['one long text in JSON', { text: '😀 '.repeat(20_000) }, {}],
  ])(
    'of %s is cut within the limit, with its beginning, its end and the total',
    async (_title, value, options) => {
      const { content, truncated } = await contentOf(value, options);
      expect(content.length).toBeLessThanOrEqual(DEFAULT_LIMITS.resultChars);
      expect(content.length).toBeGreaterThan(DEFAULT_LIMITS.resultChars * 0.4);
      expect(content.isWellFormed()).toBe(true);
      const whole =
        typeof value === 'string' ? value : JSON.stringify(value, null, options.format === 'compact' ? 0 : 2);
      const [head = '', rest = ''] = content.split('\n[... ');
      const [notice = '', tail = ''] = rest.split(' ...]');
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail.replace(/^\n/, ''))).toBe(true);
      expect(notice).toContain(`of ${whole.length} characters`);
      expect(truncated).toEqual({
        totalChars: whole.length,
        handle: expect.stringMatching(/^rm_[\w-]{22}$/),
      });
    },
  );

  test('of JSON is cut between lines when pretty, and between members when compact', async () => {
    const pretty = (await contentOf(ROWS)).content.split('\n[... ')[0] ?? '';
    expect(pretty.endsWith(',') || pretty.endsWith('{') || pretty.endsWith('}')).toBe(true);
    const compact = (await contentOf(ROWS, { format: 'compact' })).content.split('\n[... ')[0] ?? '';
    expect(compact).toMatch(/[,}]$/);
  });

  test.each([1, 50, 200, 400])('stays bounded by a tiny limit of %i characters', async (resultChars) => {
    const result = succeeded(await bench([makeTool({ limits: { resultChars }, run: gives(ROWS) })]).call({}));
    expect(result.content.length).toBeLessThanOrEqual(Math.max(resultChars, 200));
    expect(result.content).toContain('read_more');
  });

  test('is cut at a limit in tokens, counted with the tokenizer', async () => {
    const count = await loadTokenCounter();
    const { content, truncated } = await contentOf(ROWS, { resultTokens: { limit: 300, count } });
    expect(count(content)).toBeLessThanOrEqual(300);
    expect(count(content)).toBeGreaterThan(100);
    expect(truncated).toBeDefined();
    expect((await contentOf('short', { resultTokens: { limit: 300, count } })).content).toBe('short');
  });

  test('is counted in pieces, so that a run without a break stays cheap', () => {
    const lengths: number[] = [];
    inChunks((text) => lengths.push(text.length))('a'.repeat(2_500));
    expect(lengths).toEqual([1_000, 1_000, 500]);
  });
});

describe('read_more', () => {
  const text = Array.from({ length: 3_000 }, (_, index) => `line ${index} 😀`).join('\n');

  function setUp(
    options: { ttlMs?: number; maxChars?: number; now?: () => number } = {},
    executor: ExecutorOptions = {},
  ) {
    const store = createTextStore(options);
    const readMore = createReadMoreTool({
      store,
      catalogue: CATALOGUES[executor.locale ?? 'en'],
      tokens: executor.resultTokens,
    });
    return { store, ...bench([makeTool({ run: gives(text) }), readMore], {}, { ...executor, store }) };
  }

  test('gives the whole text, page by page, each within the limit', async () => {
    const { call } = setUp();
    const first = succeeded(await call({ session: 's' }));
    const handle = first.truncated?.handle;
    let offset = 0;
    let read = '';
    for (let pages = 0; pages < 100 && offset < text.length; pages += 1) {
      const page = succeeded(await call({ name: 'read_more', session: 's', arguments: { handle, offset } }));
      expect(page.truncated).toBeUndefined();
      expect(page.content.length).toBeLessThanOrEqual(DEFAULT_LIMITS.resultChars);
      const footer = page.content.lastIndexOf('\n[characters ');
      read += page.content.slice(0, footer);
      offset = Number(/to (\d+) of/.exec(page.content.slice(footer))?.[1]);
    }
    expect(read).toBe(text);
  });

  test('goes on where the notice says, without a gap', async () => {
    const { call } = setUp();
    const first = succeeded(await call({}));
    const [, handle, offset] = /read_more \{"handle": "(\S+)", "offset": (\d+)\}/.exec(first.content) ?? [];
    const page = succeeded(await call({ name: 'read_more', arguments: { handle, offset: Number(offset) } }));
    const head = first.content.split('\n[... ')[0] ?? '';
    expect(text.startsWith(`${head}\n${page.content.split('\n')[0]}`)).toBe(true);
  });

  test('keeps to a limit in tokens as well', async () => {
    const count = (words: string): number => words.split(/\s+/).length;
    const { call } = setUp({}, { resultTokens: { limit: 120, count } });
    const first = succeeded(await call({}));
    const page = succeeded(await call({ name: 'read_more', arguments: { handle: first.truncated?.handle } }));
    expect(page.truncated).toBeUndefined();
    expect(count(page.content)).toBeLessThanOrEqual(120);
  });

  test('answers a handle of another session like one that never was', async () => {
    const { call } = setUp();
    const handle = succeeded(await call({ session: 'a' })).truncated?.handle;
    const answers = [
      await call({ name: 'read_more', session: 'b', arguments: { handle } }),
      await call({ name: 'read_more', arguments: { handle } }),
      await call({ name: 'read_more', session: 'a', arguments: { handle: 'rm_made_up' } }),
    ].map((result) => failed(result));
    expect(new Set(answers.map(({ content }) => content)).size).toBe(1);
    expect(answers[0]?.error).toMatchObject({ code: 'not_found' });
    expect(succeeded(await call({ name: 'read_more', session: 'a', arguments: { handle } })).ok).toBe(true);
  });

  test('forgets after a time without being read', async () => {
    let time = 0;
    const { call } = setUp({ ttlMs: 100, now: () => time });
    const handle = succeeded(await call({})).truncated?.handle;
    for (time = 60; time < 300; time += 60)
      succeeded(await call({ name: 'read_more', arguments: { handle } }));
    time += 200;
    failed(await call({ name: 'read_more', arguments: { handle } }));
  });

  test('refuses an offset past the end with the length', async () => {
    const { call } = setUp();
    const handle = succeeded(await call({})).truncated?.handle;
    const { content } = failed(await call({ name: 'read_more', arguments: { handle, offset: text.length } }));
    expect(content).toContain(`the text has ${text.length} characters`);
  });

  test('keeps no more than its size: the oldest make room, first those of the same session', () => {
    const store = createTextStore({ maxChars: 100, maxSessionChars: 60 });
    const [first, second] = [store.put('x'.repeat(40), 'a') ?? '', store.put('y'.repeat(40), 'b') ?? ''];
    const third = store.put('z'.repeat(40), 'b') ?? '';
    expect([store.get(first, 'a'), store.get(second, 'b'), store.get(third, 'b')]).toEqual([
      'x'.repeat(40),
      undefined,
      'z'.repeat(40),
    ]);
    expect(store.put('w'.repeat(61), 'a')).toBeUndefined();
    const fourth = store.put('v'.repeat(50), 'c') ?? '';
    expect(store.get(first, 'a')).toBeUndefined();
    expect(store.get(fourth, 'c')).toHaveLength(50);
  });

  test('a text too large to be kept is cut all the same, without a handle', async () => {
    const { call } = setUp({ maxChars: 1_000 });
    const { content, truncated } = succeeded(await call({}));
    expect(truncated).toEqual({ totalChars: text.length });
    expect(content).not.toContain('read_more');
  });
});

describe('returns', () => {
  const returns = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  test('lets a fitting result pass', async () => {
    expect(succeeded(await bench([makeTool({ returns, run: gives({ n: 1 }) })]).call({})).value).toEqual({
      n: 1,
    });
  });

  test.each([{ n: '1' }, { n: null }, {}, null, '{"n":1}', undefined])(
    'refuses %j and never coerces it',
    async (value) => {
      const { error, content } = failed(await bench([makeTool({ returns, run: gives(value) })]).call({}));
      expect(error).toMatchObject({ code: 'invalid_result', outcome: 'failed', retry: 'never' });
      expect(error.issues?.length).toBeGreaterThan(0);
      expect(content).toContain('fault in the tool');
    },
  );

  test('is held against the structured content where there is one', async () => {
    const value = { content: [{ type: 'text', text: 'one' }], structuredContent: { n: 1 } };
    expect(succeeded(await bench([makeTool({ returns, run: gives(value) })]).call({}))).toMatchObject({
      content: 'one',
      value: { n: 1 },
    });
    const wrong = { ...value, structuredContent: { n: 'x' } };
    failed(await bench([makeTool({ returns, run: gives(wrong) })]).call({}));
  });
});

describe('content parts', () => {
  const data = Buffer.from('hello').toString('base64');

  test('an image becomes a part, and a line in the text', async () => {
    const result = await contentOf({ type: 'image', data, mimeType: 'image/png' });
    expect(result.content).toBe('[image: image/png, 5 bytes]');
    expect(result.parts).toEqual([{ type: 'image', data, mimeType: 'image/png' }]);
  });

  test('mixed content keeps its order in the text', async () => {
    const result = await contentOf({
      content: [
        { type: 'text', text: 'before' },
        { type: 'file', data, mimeType: 'application/pdf', name: 'a.pdf' },
        { type: 'resource', resource: { uri: 'x:y', text: 'inside' } },
        { type: 'resource', resource: { uri: 'x:z', blob: data } },
        { type: 'audio', data, mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'https://x.example/', name: 'link' },
      ],
    });
    expect(result.content.split('\n')).toEqual([
      'before',
      '[file a.pdf: application/pdf, 5 bytes]',
      'inside',
      '[file x:z: application/octet-stream, 5 bytes]',
      '[file: audio/wav, 5 bytes]',
      'link: https://x.example/',
    ]);
    expect(result.parts).toHaveLength(3);
  });

  test.each([
    { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    { type: 'image', data, mimeType: 'png' },
    { type: 'image' },
    { content: 'text' },
    { content: [] },
    { content: [{ type: 'text', text: 'x' }], other: 1 },
    { content: [{ type: 'text', text: 'x' }, { type: 'made_up' }] },
  ])('%j only looks like content and is shown as data', async (value) => {
    const result = await contentOf(value);
    expect(result.content).toBe(JSON.stringify(value, null, 2));
    expect(result.parts).toBeUndefined();
  });

  test('content that says it is an error is one', async () => {
    const value = { isError: true, content: [{ type: 'text', text: 'no such repository' }] };
    const { error } = failed(await bench([makeTool({ run: gives(value) })]).call({}));
    expect(error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('no such repository'),
    });
  });
});

describe('redaction', () => {
  const redact = (text: string): string => text.replaceAll('s3cr3t', '***');

  test('reaches every text of a result, keys and the kept rest included', async () => {
    const store = createTextStore();
    const value = { 's3cr3t key': ['my s3cr3t', 's3cr3t '.repeat(2_000)] };
    const readMore = createReadMoreTool({ store, catalogue: CATALOGUES.en });
    const { call } = bench([makeTool({ run: gives(value) }), readMore], {}, { redact, store });
    const result = succeeded(await call({}));
    expect(JSON.stringify(result)).not.toContain('s3cr3t');
    expect(result.content).toContain('***');
    const page = await call({ name: 'read_more', arguments: { handle: result.truncated?.handle } });
    expect(page.content).not.toContain('s3cr3t');
  });

  test('does not turn a fitting result into an invalid one', async () => {
    const returns = { type: 'object', properties: { a: { pattern: '^s3cr3t$' } } };
    expect(
      succeeded(await bench([makeTool({ returns, run: gives({ a: 's3cr3t' }) })], {}, { redact }).call({}))
        .value,
    ).toEqual({ a: '***' });
  });
});

test.each(['a\ud800b', '\udc00', 'x'.repeat(2_999) + '\ud800'.repeat(3_000), '😀'.repeat(3_000)])(
  'what the model reads holds whole characters only (%#)',
  async (text) => {
    const { content } = await contentOf(text);
    expect(content.isWellFormed()).toBe(true);
  },
);
