import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, tool, workspace } from './fixture.ts';

type Answer = (
  message: { id: number; method: string; params?: { name?: string } },
  request: IncomingMessage,
) => unknown;

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'http', version: '1' },
};

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // it listens on a port
}

/** A server of the older protocol that answers each message with plain JSON. */
function serve(answer: Answer): Promise<string> {
  return listen((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const message = JSON.parse(body);
      if (message.id === undefined) return void response.writeHead(202).end();
      const result = message.method === 'initialize' ? INITIALIZED : answer(message, request);
      const error = { code: -32601, message: 'Method not found' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: message.id,
          ...(result === undefined ? { error } : { result }),
        }),
      );
    });
  });
}

const listing = (...names: readonly string[]) => ({ tools: names.map((name) => tool(name)) });
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

test('headers reach the server, and their values no result', async () => {
  const url = await serve(({ method }, request) =>
    method === 'tools/list'
      ? listing('echo_header')
      : method === 'tools/call'
        ? text(`it was ${request.headers.authorization}`)
        : undefined,
  );
  process.env.GLOVEBOX_TEST_TOKEN = 'a-token-of-the-test';
  onTestFinished(() => void delete process.env.GLOVEBOX_TEST_TOKEN);
  const { host: open } = await workspace();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the config's own syntax
  const host = await open({ s: { url, headers: { Authorization: 'Bearer ${env:GLOVEBOX_TEST_TOKEN}' } } });
  const { ok, content } = await host.call({ name: 's.echo_header', arguments: {} });
  expect(ok).toBe(true);
  expect(content).toBe('it was [redacted]');
});

test('an answer past all bounds ends its call', async () => {
  const url = await serve(({ method }) =>
    method === 'tools/list'
      ? listing('huge')
      : method === 'tools/call'
        ? text('x'.repeat(20_000_000))
        : undefined,
  );
  const { host: open } = await workspace();
  const host = await open({ s: { type: 'http', url } });
  expect(await host.call({ name: 's.huge', arguments: {} })).toMatchObject({
    ok: false,
    error: { code: 'output_limit' },
  });
});

test('a server that was gone and comes back is found again', async () => {
  let isDown = false;
  const url = await listen((request, response) => {
    if (isDown) return void request.socket.destroy();
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const message = body === '' ? {} : JSON.parse(body);
      if (message.id === undefined) return void response.writeHead(202).end();
      const results: Readonly<Record<string, unknown>> = {
        initialize: INITIALIZED,
        'tools/list': listing('ping'),
        'tools/call': text('pong'),
      };
      const result = results[message.method];
      response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
  });
  const { host: open } = await workspace();
  const host = await open({ s: { type: 'http', url } });
  expect(await host.call({ name: 's.ping', arguments: {} })).toMatchObject({ content: 'pong' });
  isDown = true;
  expect(await host.call({ name: 's.ping', arguments: {} })).toMatchObject({ ok: false });
  await eventually(host, 's.*', (entry) => entry?.state === 'broken');
  isDown = false;
  await eventually(host, 's.*', (entry) => entry === undefined);
  expect(await host.call({ name: 's.ping', arguments: { again: true } })).toMatchObject({ content: 'pong' });
});
