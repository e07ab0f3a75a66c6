import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request as send } from 'node:http';
import path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type HttpOptions,
  type HttpServer,
  listenHttp,
  McpService,
} from '../../../../core/adapters/mcp/server/index.ts';
import { createHost, type Host } from '../../../../core/host.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { clientOf, ERAS, serve, textOf, until, workspace, writeTool } from './fixture.ts';

const PARAMETERS = { type: 'object', properties: {} } as const;

async function open(
  options: Partial<HttpOptions> = {},
): Promise<{ host: Host; server: HttpServer; url: string }> {
  const host = await createHost({ config: { plugins: [] } });
  const service = new McpService(host, { version: '0' });
  const server = await listenHttp(service, { port: 0, ...options });
  onTestFinished(async () => {
    await server.close();
    service.close();
    await host.close();
  });
  return { host, server, url: server.url };
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const post = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The status of a request whose Host is not that of its address: fetch would not send it. */
async function statusFor(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const request = send(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers } });
  request.end(JSON.stringify(LIST));
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

/** The one message of an answer, whether it came as JSON or as a stream. */
async function readAnswer(
  response: Response,
): Promise<{ result?: Record<string, unknown>; error?: { code: number } }> {
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(data);
}

describe.each(ERAS)('the official client over HTTP, in the %s era', (era) => {
  test('lists and calls what is there, and hears of what comes', async () => {
    const { host, url } = await open();
    host.tool({ name: 'first', description: 'Is first.', parameters: PARAMETERS }, () => 'one');
    let changes = 0;
    const onChanged = (): void => {
      changes += 1;
    };
    const client = clientOf(era, { listChanged: { tools: { onChanged, autoRefresh: false } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    expect(textOf(await client.callTool({ name: 'first', arguments: {} }))).toBe('one');
    let count = 0;
    await until(async () => {
      // The client's stream for news is opened after it has connected.
      count += 1;
      host.tool({ name: `later_${count}`, description: 'Comes later.', parameters: PARAMETERS }, () => 'two');
      await new Promise((resolve) => setTimeout(resolve, 600)); // the client waits until it is quiet
      return changes > 0;
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('later_1');
  });

  test('hears of a hot reload of a real plugin, from a real process', async () => {
    const dir = await workspace('test_simple_text');
    const { url } = await serve(dir);
    let changes = 0;
    const onChanged = (): void => {
      changes += 1;
    };
    const client = clientOf(era, { listChanged: { tools: { onChanged, autoRefresh: false } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    await until(async () => {
      await writeTool(dir, 'added', `export default () => ${changes};`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return changes > 0;
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('added');
    await rm(path.join(dir, 'plugins/added'), { recursive: true });
    await until(async () => !(await client.listTools()).tools.some(({ name }) => name === 'added'));
  });

  test('cancels a call, and its tool is told', async () => {
    const { host, url } = await open();
    const [running, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    host.tool(
      { name: 'slow', description: 'Is slow.', parameters: PARAMETERS },
      async (_args, { signal }) => {
        signal.addEventListener('abort', () => told.resolve());
        running.resolve();
        await told.promise;
      },
    );
    const client = clientOf(era);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    const stop = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: {} }, { signal: stop.signal });
    await running.promise;
    stop.abort();
    await expect(call).rejects.toThrow();
    await told.promise;
  });
});

describe('who is let in', () => {
  test('is whoever names this machine; a Host of another name is refused, as DNS rebinding would have it', async () => {
    const { url, server } = await open();
    const at = `:${server.port}`;
    for (const host of [`localhost${at}`, `127.0.0.1${at}`, `[::1]${at}`])
      expect(await statusFor(url, { host }), host).toBe(200);
    for (const host of [
      `evil.example${at}`,
      'evil.example',
      `127.0.0.1.evil.example${at}`,
      'localhost.evil.example',
    ])
      expect(await statusFor(url, { host }), host).toBe(403);
  });

  test('is a page of this machine and no other, not even one without an origin of its own', async () => {
    const { url } = await open();
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1'])
      expect((await post(url, LIST, { origin })).status, origin).toBe(200);
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])
      expect((await post(url, LIST, { origin })).status, origin).toBe(403);
  });

  test('is, where names are added, whoever uses one of them', async () => {
    const { url } = await open({ hostNames: ['tools.example'] });
    expect(await statusFor(url, { host: 'tools.example', origin: 'https://tools.example' })).toBe(200);
    expect(await statusFor(url, { host: 'other.example' })).toBe(403);
  });

  test('is, where there is a token, who brings it', async () => {
    const { url } = await open({ token: 'open-sesame' });
    const none = await post(url, LIST);
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer/);
    for (const authorization of [
      'Bearer wrong',
      'Bearer ',
      'open-sesame',
      'Basic open-sesame',
      'Bearer open-sesame2',
    ])
      expect((await post(url, LIST, { authorization })).status, authorization).toBe(401);
    expect((await post(url, LIST, { authorization: 'Bearer open-sesame' })).status).toBe(200);
    const client = clientOf('legacy');
    const requestInit = { headers: { authorization: 'Bearer open-sesame' } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });
});

describe('a request', () => {
  test('that can not be served gets the status that says so, and the next one is served', async () => {
    const { url } = await open({ bodyBytes: 10_000 });
    const long = JSON.stringify({ ...LIST, params: { cursor: 'x'.repeat(20_000) } });
    const chunked = new ReadableStream({
      start(controller) {
        for (let piece = 0; piece < 50; piece++)
          controller.enqueue(new TextEncoder().encode(' '.repeat(1_000)));
        controller.close();
      },
    });
    const streamed = { method: 'POST', headers: JSON_HEADERS, body: chunked, duplex: 'half' } as const;
    expect((await post(url, long)).status).toBe(413);
    expect((await fetch(url, streamed)).status).toBe(413);
    expect((await post(url, LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(url, '{"jsonrpc":')).status).toBe(400);
    expect((await post(url, `${'['.repeat(4_000)}${']'.repeat(4_000)}`)).status).toBe(400);
    expect((await post(url, Array(51).fill(LIST))).status).toBe(400);
    expect((await post(url, [])).status).toBe(400);
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(url.replace(/mcp$/, 'other'))).status).toBe(404);
    expect((await post(url, LIST, { 'mcp-session-id': 'none' })).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'none' } })).status).toBe(404);
    expect((await post(url, LIST)).status).toBe(200);
  });

  test('for a long list gets a page and the way to the next, each tool once and in order', async () => {
    const { host, url } = await open();
    const names = Array.from({ length: 600 }, (_, index) => `tool_${String(index).padStart(3, '0')}`);
    for (const name of names.toReversed())
      host.tool({ name, description: 'One of many.', parameters: PARAMETERS }, () => name);
    const listed: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const { result } = await readAnswer(await post(url, { ...LIST, params }));
      const { tools, nextCursor } = result as { tools: { name: string }[]; nextCursor?: string }; // MCP's own
      listed.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(1);
    expect(listed).toEqual([...names, 'read_more', 'search_tools'].sort());
    expect((await readAnswer(await post(url, { ...LIST, params: { cursor: 'bm9uZQ' } }))).error?.code).toBe(
      -32_602,
    );
  });
});

describe('sessions', () => {
  const idOf = async (url: string): Promise<string | null> =>
    (await post(url, INITIALIZE)).headers.get('mcp-session-id');

  test('are no more than so many: who comes then is told to come back', async () => {
    const { url, server } = await open({ sessions: 3 });
    const ids = [await idOf(url), await idOf(url), await idOf(url)];
    expect(new Set(ids).size).toBe(3);
    const refused = await post(url, INITIALIZE);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(server.sessions).toBe(3);
    await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': ids[0] ?? '' } });
    expect(server.sessions).toBe(2);
    expect(await idOf(url)).not.toBeNull();
  });

  test('end when nobody uses them, but not under an open stream', async () => {
    const { url, server } = await open({ sessionIdleMs: 200 });
    const [idle, used] = [await idOf(url), await idOf(url)];
    const stop = new AbortController();
    const headers = { accept: 'text/event-stream', 'mcp-session-id': used ?? '' };
    await fetch(url, { headers, signal: stop.signal });
    await until(() => server.sessions === 1);
    expect((await post(url, LIST, { 'mcp-session-id': idle ?? '' })).status).toBe(404);
    expect((await post(url, LIST, { 'mcp-session-id': used ?? '' })).status).toBe(200);
    stop.abort();
    await until(() => server.sessions === 0);
  });

  test('are not opened by what only looks like an initialisation', async () => {
    const { url, server } = await open();
    await (await post(url, { ...INITIALIZE, params: {} })).text();
    await (await post(url, [INITIALIZE, INITIALIZE])).text();
    expect(server.sessions).toBe(0);
  });
});

describe('glovebox serve', () => {
  test('refuses to listen for others without a token', async () => {
    const { code, stderr } = await runCli(['serve', '--host', '0.0.0.0', '--port', '0'], {
      cwd: await workspace(),
      env: { GLOVEBOX_TOKEN: '' },
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/token/) });
  });

  test('tells of a port that is taken, and of one that is none', async () => {
    const dir = await workspace();
    const { server } = await open();
    const taken = await runCli(['serve', '--port', String(server.port)], { cwd: dir });
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('EADDRINUSE') });
    const wrong = await runCli(['serve', '--port', '70000'], { cwd: dir });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
  });

  test('takes its token from the environment, listens at the loopback, and ends with code 0 at SIGTERM', async () => {
    const { url, process: child, ended } = await serve(await workspace(), [], { GLOVEBOX_TOKEN: 'from-env' });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await post(url, LIST)).status).toBe(401);
    const authorization = 'Bearer from-env';
    const id = (await post(url, INITIALIZE, { authorization })).headers.get('mcp-session-id') ?? '';
    const stream = await fetch(url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': id, authorization },
    });
    expect(stream.status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
