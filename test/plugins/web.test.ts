import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openShipped, type Shipped, serve } from './shipped.ts';

const PROSE = 'Long sentences, with commas, tell a story about a room that is sealed. '.repeat(12);
const ARTICLE = `<!doctype html><html><head><title>Sealed rooms</title><meta name="author" content="Ada"><base href="/docs/"></head>
<body><nav><a href="/home">Home</a> <a href="/shop">Shop</a></nav><main><article><h1>Sealed rooms</h1>
<p>A <a href="room.html#top">room</a> with snake_case &amp; <b>force</b>. <a href="javascript:alert(1)">click</a> ${PROSE}</p>
<table><tr><th>Name</th><th>Price</th></tr><tr><td>a|b</td><td>3</td></tr><tr><td colspan="2">both</td></tr></table>
<pre><code class="language-js">if (a &lt; 2) {
  b(\`x\`);
}
</code></pre><p>${PROSE}</p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<img src="a.png" alt="A chart"><img src="b.png"></article></main>
<aside>Buy now</aside><footer>Imprint</footer><script>document.write('no')</script></body></html>`;

const ANSWERS: Readonly<
  Record<
    string,
    { type?: string; status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
  >
> = {
  '/docs/article': { type: 'text/html; charset=utf-8', body: ARTICLE },
  '/latin': {
    type: 'text/html; charset=iso-8859-1',
    body: Buffer.from('<title>Größe</title><p>Käse', 'latin1'),
  },
  '/meta': {
    type: 'text/html',
    body: Buffer.concat([
      Buffer.from('<html><head><meta charset="shift_jis"></head><body><p>'),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
    ]),
  },
  '/undeclared': { type: 'text/html', body: '<p>naïve 日本</p>' },
  '/utf16': { type: 'text/html', body: Buffer.from('\ufeff<p>wide ä</p>', 'utf16le') },
  '/deep': { type: 'text/html', body: `${'<div>'.repeat(20_000)}at the bottom${'</div>'.repeat(20_000)}` },
  '/tables': {
    type: 'text/html',
    body: `${'<table><tr><td>x</td><td>'.repeat(60)}<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>${'</td></tr></table>'.repeat(60)}`,
  },
  '/empty': {
    type: 'text/html',
    body: '<html><body><div id="root"></div><script src="app.js"></script></body></html>',
  },
  '/plain': { type: 'text/plain', body: 'just\n  text' },
  '/data.json': { type: 'application/json', body: '{"a": 1}' },
  '/file.pdf': { type: 'application/pdf', body: '%PDF-1.7' },
  '/bytes': { body: Buffer.from([0, 1, 2, 3]) },
  '/untyped': { body: '<!DOCTYPE html><p>sniffed' },
  '/moved': { status: 301, headers: { location: '/plain' } },
  '/away': { status: 302, headers: { location: 'http://10.0.0.1/' } },
  '/gone': { status: 404 },
  '/busy': { status: 429, headers: { 'retry-after': '120' } },
  '/broken': { status: 500 },
  '/login': { status: 401 },
  '/packed': { type: 'text/html', headers: { 'content-encoding': 'gzip' }, body: gzipSync('<p>unpacked') },
  '/ids': { type: 'application/json', body: '{"id": 12345678901234567890, "n": 1.5, "__proto__": 2}' },
  '/halfjson': { type: 'application/json', body: '{"a": ' },
};

let server: Awaited<ReturnType<typeof serve>>;
let shipped: Shipped;
beforeAll(async () => {
  server = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/echo') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.setHeader('x-ratelimit-remaining', '7');
        response.setHeader('x-noise', 'n');
        const { method, url, headers } = request;
        response.statusCode = method === 'DELETE' ? 422 : 200;
        response.end(
          JSON.stringify({
            method,
            url,
            type: headers['content-type'],
            accept: headers.accept,
            extra: headers['x-extra'],
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      return;
    }
    const { status = 200, type, headers = {}, body = '' } = ANSWERS[pathname] ?? { status: 404 };
    if (type !== undefined) response.setHeader('content-type', type);
    response.writeHead(status, headers);
    response.end(body);
  });
  shipped = await openShipped(
    {
      fetch_page: { net: ['GET http://*:*/*', `GET ${server.url}/*`] },
      http_json: { net: ['http://*:*/*', `${server.url}/*`] },
    },
    { onApproval: () => true },
  );
});
afterAll(async () => {
  await shipped[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const page = (path: string, more: Record<string, unknown> = {}) =>
  shipped.call('fetch_page', { url: `${server.url}${path}`, ...more });
const request = async (path: string, more: Record<string, unknown> = {}) => {
  const result = await shipped.call('http_json', { url: `${server.url}${path}`, ...more });
  return { value: undefined, ...result };
};

describe('fetch_page', () => {
  it('gives title, main content, absolute links, tables and code as Markdown', async () => {
    const { content } = await page('/docs/article');
    expect(content).toMatch(/^# Sealed rooms\n\nURL: http:\/\/127\.0\.0\.1:\d+\/docs\/article\nBy: Ada\n\n/);
    expect(content).toContain(`[room](${server.url}/docs/room.html#top) with snake_case & **force**. click `);
    expect(content).toContain('| Name | Price |\n| --- | --- |\n| a\\|b | 3 |\n| both |  |');
    expect(content).toContain('```js\nif (a < 2) {\n  b(`x`);\n}\n```');
    expect(content).toContain('- one\n  - inner\n- two');
    expect(content).toContain(`![A chart](${server.url}/docs/a.png)`);
    expect(content).not.toMatch(/Shop|Buy now|Imprint|document\.write|b\.png|javascript:/);
  });

  it('gives all of the page, or no addresses, where asked to', async () => {
    const { content } = await page('/docs/article', { content: 'full', links: false });
    expect(content).toMatch(/Shop[\s\S]*Buy now[\s\S]*Imprint/);
    expect(content).toContain('A room with snake_case');
    expect(content).not.toMatch(/\]\(|document\.write/);
  });

  it.each([
    ['/latin', '# Größe', 'Käse'],
    ['/meta', '日本', ''],
    ['/undeclared', 'naïve 日本', ''],
    ['/utf16', 'wide ä', ''],
    ['/untyped', 'sniffed', ''],
    ['/plain', 'just\n  text', ''],
    ['/data.json', '{"a": 1}', ''],
    ['/packed', 'unpacked', ''],
    ['/deep', 'at the bottom', ''],
    ['/tables', '| A | B |\n| --- | --- |\n| 1 | 2 |', ''],
  ])('reads %s', async (path, first, second) => {
    const { ok, content } = await page(path);
    expect({ ok, content }).toEqual({ ok: true, content: expect.stringContaining(first) });
    expect(content).toContain(second);
  });

  it('comes in parts that join to the whole', async () => {
    const whole = (await page('/docs/article')).content.split('\n\n').slice(2).join('\n\n');
    let [start, text] = [0, ''];
    for (;;) {
      const { content } = await page('/docs/article', { start, maxChars: 500 });
      const next = /Go on with "start": (\d+)\.\]$/.exec(content)?.[1];
      text += content
        .replace(/^[\s\S]*?URL: [^\n]*\n(?:By: Ada\n)?\n/, '')
        .replace(/\n\n\[Characters [^\]]*\]$/, '');
      if (next === undefined) break;
      expect(Number(next)).toBeGreaterThan(start);
      start = Number(next);
    }
    expect(text.replace(/\s+/g, '')).toBe(whole.replace(/\s+/g, ''));
    expect(await page('/docs/article', { start: 1_000_000 })).toMatchObject({
      ok: false,
      content: expect.stringContaining('has only'),
    });
  });

  it('says where a redirect led, and refuses one that leads inside', async () => {
    expect((await page('/moved')).content).toContain(
      `URL: ${server.url}/plain (redirected from ${server.url}/moved)`,
    );
    expect(await page('/away')).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
  });

  it('says that scripts would fill a page', async () => {
    expect((await page('/empty')).content).toMatch(/Note: .*scripts fill it in a browser/);
  });

  it.each([
    ['/gone', 'not_found', /HTTP 404 Not Found.*no such page/],
    ['/busy', 'tool_error', /HTTP 429.*after 120 seconds/],
    ['/broken', 'tool_error', /HTTP 500.*try again later/],
    ['/login', 'tool_error', /HTTP 401.*needs a login/],
    ['/file.pdf', 'tool_error', /application\/pdf \(1 KB\), not to a page of text/],
    ['/bytes', 'tool_error', /binary data/],
  ])('tells a model what to do about %s', async (path, code, reason) => {
    expect(await page(path)).toMatchObject({
      ok: false,
      error: { code },
      content: expect.stringMatching(reason),
    });
  });

  it.each([
    ['ftp://example.com/', /not with ftp/],
    ['http://', /no URL/],
    ['https://user:pass@example.com/', /user name/],
    ['mailto:a@example.com', /not with mailto/],
  ])('refuses the address %s', async (url, reason) => {
    const result = await shipped.call('fetch_page', { url });
    expect(result).toMatchObject({ ok: false, content: expect.stringMatching(reason) });
  });
});

describe('http_json', () => {
  it('sends method, query, headers and JSON, and gives status, headers that matter and the parsed body', async () => {
    const { value } = await request('/echo?a=1', {
      method: 'POST',
      query: { q: 'a b&c', list: [1, true] },
      headers: { 'X-Extra': 'e' },
      body: { name: 'ä' },
    });
    expect(value).toEqual({
      status: 200,
      ok: true,
      statusText: 'OK',
      headers: { 'content-type': 'application/json', 'x-ratelimit-remaining': '7' },
      body: {
        method: 'POST',
        url: '/echo?a=1&q=a+b%26c&list=1&list=true',
        type: 'application/json',
        accept: 'application/json, */*;q=0.5',
        extra: 'e',
        body: '{"name":"ä"}',
      },
    });
  });

  it('takes a refusal of the server for a result, not for a failure', async () => {
    expect(await request('/echo', { method: 'DELETE', body: null })).toMatchObject({
      ok: true,
      value: { status: 422, ok: false, body: { method: 'DELETE', body: 'null' } },
    });
    expect((await request('/gone')).value).toMatchObject({ status: 404, ok: false });
  });

  it('keeps the digits of large numbers, and takes __proto__ for a key', async () => {
    const { value, content } = await request('/ids');
    expect(value).toMatchObject({
      body: { id: '12345678901234567890', n: 1.5 },
      notes: [expect.stringContaining('too large')],
    });
    expect(content).toContain('"__proto__": 2');
  });

  it.each([
    ['/plain', { text: 'just\n  text' }],
    ['/halfjson', { text: '{"a": ', notes: [expect.stringContaining('not valid JSON')] }],
    ['/bytes', { notes: [expect.stringContaining('binary (4 bytes)')] }],
    ['/moved', { url: expect.stringMatching(/\/plain$/), text: 'just\n  text' }],
  ])('gives %s as it is', async (path, expected) => {
    expect((await request(path)).value).toMatchObject(expected);
  });

  it('sends a string as it is under another content type', async () => {
    const { value } = await request('/echo', {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: 'a,b',
    });
    expect(value).toMatchObject({ body: { method: 'PUT', type: 'text/csv', body: 'a,b' } });
  });

  it.each([
    [{ url: 'nowhere' }, /no HTTP address/],
    [{ method: 'GET', body: {} }, /takes no body/],
    [{ method: 'POST', headers: { 'content-type': 'text/plain' }, body: { a: 1 } }, /must be a string/],
    [{ headers: { 'bad name': 'x' } }, /header "bad name"/],
    [{ url: 'http://10.0.0.1/' }, /private address/],
    [{ url: 'http://user:pw@example.com/' }, /user name/],
  ])('says what is wrong with %j', async (args, reason) => {
    expect(await request('/echo', args)).toMatchObject({ ok: false, content: expect.stringMatching(reason) });
  });

  it('asks before it sends anything', async () => {
    await using silent = await openShipped({ http_json: {} });
    expect(await silent.call('http_json', { url: server.url })).toMatchObject({
      error: { code: 'not_approved' },
    });
  });
});
