import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuest, policyOf } from '../guest.ts';
import { serve, text } from './server.ts';

const denial = { name: 'NotAllowedError', code: 'permission_denied' };

function guestWith(net: string[], grant: string[] = net, more: object = {}) {
  return createGuest({ policy: policyOf({ net }, { net: grant }), plugin: 'tester', ...more });
}

describe('fetch through the broker', () => {
  it('reaches a loopback address that the grant names', async () => {
    const server = await serve((_request, response) => text(response, 'hello'));
    const guest = guestWith([`GET ${server.origin}/*`]);
    expect(await guest.fetchText(`${server.origin}/x?q=1`)).toBe('hello');
    expect(guest.uses()).toEqual([
      { capability: 'net', target: `GET ${server.origin}/x`, allowed: true, count: 1 },
    ]);
    await guest.close();
  });

  it('allows only what both request and grant allow', async () => {
    const server = await serve((_request, response) => text(response, 'ok'));
    const guest = guestWith([`GET ${server.origin}/*`], [`${server.origin}/x/*`]);
    expect(await guest.fetchText(`${server.origin}/x/1`)).toBe('ok');
    expect(await guest.fetchText(`${server.origin}/y`)).toMatchObject(denial);
    expect(await guest.fetchText(`${server.origin}/x/1`, { method: 'POST' })).toMatchObject(denial);
    expect(server.seen).toHaveLength(1);
    await guest.close();
  });

  it('names the capability, the target and the grant in a denial, and knows it by its number', async () => {
    const guest = guestWith(['GET https://a.example/*'], []);
    const reply = await guest.open('one', 'https://a.example/secret?token=1');
    expect(reply).toMatchObject({ ok: false, error: denial });
    expect(guest.denial(guest.last())).toEqual({
      capability: 'net',
      target: 'GET https://a.example/secret',
      reason: 'no grant covers it.',
      requested: true,
      grant: '"tester": { "net": ["GET https://a.example/secret"] }',
    });
    expect(!reply.ok && reply.error.message).toContain('"net": ["GET https://a.example/secret"]');
    expect(guest.denial(99)).toBeUndefined();
    expect(guest.uses()).toMatchObject([{ allowed: false }]);
  });

  it.each([
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://127.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::1]:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://169.254.169.254/latest/meta-data',
  ])('refuses %s under a grant for every host', async (spelling) => {
    const server = await serve((_request, response) => text(response, 'inside'));
    const guest = guestWith(['http://*:*/*'], undefined, { resolver: async () => ['127.0.0.1'] });
    expect(await guest.fetchText(spelling.replace('PORT', String(server.port)))).toMatchObject(denial);
    expect(server.seen).toHaveLength(0);
    await guest.close();
  });

  it('says how an operator may name an address, and not where a name leads', async () => {
    const resolver = async () => ['10.1.2.3'];
    const guest = guestWith(['GET http://*:*/*'], undefined, { resolver });
    await guest.fetchText('http://127.1:8080/x');
    expect(guest.denial(guest.last())?.grant).toBe('"tester": { "net": ["GET http://127.0.0.1:8080/x"] }');
    await guest.fetchText('http://inside.example/x');
    const denied = guest.denial(guest.last());
    expect(denied?.grant).toBeUndefined();
    expect(JSON.stringify(denied)).not.toContain('10.1.2.3');
  });

  it('refuses user@host, in the URL and in a redirect', async () => {
    const server = await serve((request, response) => {
      response.writeHead(302, { location: `http://user:pass@${request.headers.host}/x` }).end();
    });
    const guest = guestWith([`${server.origin}/*`]);
    expect(await guest.fetchText(`http://api.example@127.0.0.1:${server.port}/`)).toMatchObject({
      name: 'TypeError',
    });
    expect(server.seen).toHaveLength(0);
    expect(await guest.fetchText(`${server.origin}/`)).toMatchObject({ name: 'TypeError' });
    expect(server.seen).toHaveLength(1);
    await guest.close();
  });

  it('holds a trailing dot for another host than the one granted', async () => {
    const guest = guestWith(['https://api.example/*']);
    expect(await guest.fetchText('https://api.example./x')).toMatchObject(denial);
  });

  it('reaches localhost when the grant names localhost', async () => {
    const server = await serve((_request, response) => text(response, 'ok'));
    const guest = guestWith(['http://localhost:*'], undefined, { resolver: async () => ['127.0.0.1'] });
    expect(await guest.fetchText(`http://localhost:${server.port}/`)).toBe('ok');
    await guest.close();
  });
});

describe('DNS', () => {
  it('refuses a granted host whose name leads inside', async () => {
    const server = await serve((_request, response) => text(response, 'inside'));
    const guest = guestWith([`http://evil.example:${server.port}/*`], undefined, {
      resolver: async () => ['127.0.0.1'],
    });
    expect(await guest.fetchText(`http://evil.example:${server.port}/`)).toMatchObject(denial);
    expect(server.seen).toHaveLength(0);
    await guest.close();
  });

  it('refuses when one answer of several leads inside', async () => {
    const guest = guestWith(['http://evil.example/*'], undefined, {
      resolver: async () => ['93.184.215.14', '::ffff:10.0.0.1'],
    });
    expect(await guest.fetchText('http://evil.example/')).toMatchObject(denial);
  });

  it('connects to the address that was checked, without a second look-up', async () => {
    const server = await serve((request, response) => text(response, request.headers.host ?? ''));
    let lookups = 0;
    // The first answer is one that the grant names, any later one is not.
    const resolver = async () => {
      lookups += 1;
      return [lookups === 1 ? '127.0.0.1' : '169.254.169.254'];
    };
    const net = [`http://named.example:${server.port}/*`, `http://127.0.0.1:${server.port}/*`];
    const guest = guestWith(net, undefined, { resolver });
    expect(await guest.fetchText(`http://named.example:${server.port}/`)).toBe(
      `named.example:${server.port}`,
    );
    expect(lookups).toBe(1);
    expect(await guest.fetchText(`http://named.example:${server.port}/`)).toMatchObject(denial);
    expect(server.seen).toHaveLength(1);
    await guest.close();
  });

  it('lets a name lead to a named address only for what the grant allows there', async () => {
    const server = await serve((_request, response) => text(response, 'ok'));
    const net = [`http://named.example:${server.port}/*`, `http://127.0.0.1:${server.port}/open/*`];
    const guest = guestWith(net, undefined, { resolver: async () => ['127.0.0.1'] });
    expect(await guest.fetchText(`http://named.example:${server.port}/open/1`)).toBe('ok');
    expect(await guest.fetchText(`http://named.example:${server.port}/closed`)).toMatchObject(denial);
    await guest.close();
  });

  it('tells a TLS server the name that was asked for, not the pinned address', async () => {
    let named: string | undefined;
    const server = createTlsServer({
      SNICallback: (name, callback) => {
        named = name;
        callback(new Error('no certificate for a test'));
      },
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    // A TCP server's address is an object.
    const { port } = server.address() as AddressInfo;
    const net = [`https://named.example:${port}/*`, `https://127.0.0.1:${port}/*`];
    const guest = guestWith(net, undefined, { resolver: async () => ['127.0.0.1'] });
    expect(await guest.fetchText(`https://named.example:${port}/`)).toMatchObject({ name: 'TypeError' });
    expect(named).toBe('named.example');
    await guest.close();
  });

  it('stops waiting for a resolver when the call ends', async () => {
    const guest = guestWith(['http://slow.example/*'], undefined, {
      resolver: () => new Promise(() => undefined),
    });
    const opening = guest.open('one', 'http://slow.example/');
    setTimeout(() => guest.end(), 5);
    expect(await opening).toMatchObject({ ok: false, error: { name: 'AbortError' } });
  });
});

describe('redirects', () => {
  it('are refused to a host that is not allowed', async () => {
    const inside = await serve((_request, response) => text(response, 'inside'));
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: inside.origin }).end(),
    );
    const guest = guestWith([`${server.origin}/*`]);
    expect(await guest.fetchText(server.origin)).toMatchObject(denial);
    expect(inside.seen).toHaveLength(0);
    expect(guest.uses().map((use) => [use.allowed, use.target])).toEqual([
      [true, `GET ${server.origin}/`],
      [false, `GET ${inside.origin}/`],
    ]);
    await guest.close();
  });

  it('lose credentials on the way to another origin and keep the rest', async () => {
    const other = await serve((request, response) => text(response, JSON.stringify(request.headers)));
    const server = await serve((_request, response) =>
      response.writeHead(307, { location: other.origin }).end(),
    );
    const guest = guestWith([`${server.origin}/*`, `${other.origin}/*`]);
    const headers = [
      ['Authorization', 'Bearer x'],
      ['Cookie', 'a=b'],
      ['X-Kept', 'yes'],
    ];
    const seen = JSON.parse(String(await guest.fetchText(server.origin, { headers })));
    expect(seen).toMatchObject({ 'x-kept': 'yes' });
    expect(seen).not.toHaveProperty('authorization');
    expect(seen).not.toHaveProperty('cookie');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer x');
    await guest.close();
  });

  it('turn POST into GET after 303 and 302, and repeat the body after 307', async () => {
    const server = await serve(async (request, response) => {
      const status = Number(request.url?.slice(1));
      if (status) return void response.writeHead(status, { location: '/end' }).end();
      const chunks = await request.toArray();
      text(response, `${request.method} ${request.headers['content-type']} ${Buffer.concat(chunks)}`);
    });
    const guest = guestWith([`${server.origin}/*`]);
    const post = { method: 'POST', body: btoa('data'), headers: [['content-type', 'text/x']] };
    expect(await guest.fetchText(`${server.origin}/303`, post)).toBe('GET undefined ');
    expect(await guest.fetchText(`${server.origin}/302`, post)).toBe('GET undefined ');
    expect(await guest.fetchText(`${server.origin}/307`, post)).toBe('POST text/x data');
    await guest.close();
  });

  it('end after a bounded number of hops, and obey manual and error', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: '/again' }).end('moved'),
    );
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { redirects: 3 } });
    expect(await guest.fetchText(server.origin)).toMatchObject({ name: 'TypeError' });
    expect(server.seen).toHaveLength(4);
    expect(await guest.fetchText(server.origin, { redirect: 'error' })).toMatchObject({ name: 'TypeError' });
    const manual = await guest.open('m', server.origin, { redirect: 'manual' });
    expect(manual).toMatchObject({ ok: true, value: { status: 302, redirected: false } });
    await guest.close();
  });
});

describe('bodies', () => {
  it('are cut off at the cap, however long the server goes on', async () => {
    let closed = false;
    const server = await serve((_request, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
      pour(response);
    });
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { responseBytes: 300_000 } });
    expect(await guest.fetchText(server.origin)).toMatchObject({ code: 'response_too_large' });
    await expect.poll(() => closed).toBe(true);
    await guest.close();
  });

  it('come only as fast as they are read', async () => {
    let sent = 0;
    const server = await serve((_request, response) => pour(response, (bytes) => (sent += bytes)));
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { responseBytes: 1024 ** 3 } });
    expect(await guest.open('one', server.origin)).toMatchObject({ ok: true });
    expect(await guest.ask('fetch.read', { request: 'one' })).toMatchObject({ ok: true });
    await expect.poll(() => sent > 0).toBe(true);
    await new Promise((later) => setTimeout(later, 100));
    // Socket buffers of both sides; an unread body that was drained would be gigabytes.
    expect(sent).toBeLessThan(64 * 1024 ** 2);
    await guest.close();
  });

  it('do not swell past the cap when they were a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { responseBytes: 1_000_000 } });
    const before = process.memoryUsage().rss;
    expect(await guest.fetchText(server.origin)).toMatchObject({ code: 'response_too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
    await guest.close();
  });

  it('are decoded, twice if encoded twice, and refused when encoded ten times over', async () => {
    const server = await serve((request, response) => {
      const layers = Number(request.url?.slice(1));
      let body: Buffer = Buffer.from('plain');
      for (let layer = 0; layer < layers; layer += 1) body = gzipSync(body);
      response.writeHead(200, { 'content-encoding': Array(layers).fill('gzip').join(', ') }).end(body);
    });
    const guest = guestWith([`${server.origin}/*`]);
    expect(await guest.fetchText(`${server.origin}/1`)).toBe('plain');
    expect(await guest.fetchText(`${server.origin}/2`)).toBe('plain');
    expect(await guest.fetchText(`${server.origin}/10`)).toMatchObject({ name: 'TypeError' });
    await guest.close();
  });

  it('end in an error when they are no gzip though they say so', async () => {
    const server = await serve((_request, response) =>
      text(response, 'not gzip', { 'content-encoding': 'gzip' }),
    );
    const guest = guestWith([`${server.origin}/*`]);
    expect(await guest.fetchText(server.origin)).toMatchObject({ name: 'TypeError' });
    await guest.close();
  });

  it('of requests are capped', async () => {
    const server = await serve((_request, response) => text(response, 'ok'));
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { requestBytes: 10 } });
    const large = { method: 'POST', body: btoa('x'.repeat(11)) };
    expect(await guest.fetchText(server.origin, large)).toMatchObject({ name: 'TypeError' });
    expect(server.seen).toHaveLength(0);
    await guest.close();
  });

  it('and headers that are too large are refused', async () => {
    const server = await serve((_request, response) =>
      text(response, 'x', { 'x-large': 'y'.repeat(40_000) }),
    );
    const guest = guestWith([`${server.origin}/*`]);
    expect(await guest.fetchText(server.origin)).toMatchObject({ name: 'TypeError' });
    await guest.close();
  });
});

describe('abort', () => {
  it.each(['fetch.close', 'the end of the call'])(
    'by %s mid-body closes the socket, and the server sees it',
    async (way) => {
      let response: ServerResponse | undefined;
      const server = await serve((_request, answer) => {
        response = answer;
        answer.write('first');
      });
      const guest = guestWith([`${server.origin}/*`]);
      await guest.open('one', server.origin);
      await guest.ask('fetch.read', { request: 'one' });
      const pending = guest.ask('fetch.read', { request: 'one' });
      const closed = response && once(response, 'close');
      if (way === 'fetch.close') await guest.ask('fetch.close', { request: 'one' });
      else guest.end();
      await closed;
      expect(await pending).toMatchObject({ ok: false, error: { name: 'AbortError' } });
      await guest.close();
    },
  );

  it('before the headers closes the socket too', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await serve(() => arrived?.());
    const guest = guestWith([`${server.origin}/*`]);
    const opening = guest.open('one', server.origin);
    await arrival;
    const socket = server.seen[0]?.socket;
    const closed = socket && once(socket, 'close');
    await guest.ask('fetch.close', { request: 'one' });
    await closed;
    expect(await opening).toMatchObject({ ok: false, error: { name: 'AbortError' } });
    await guest.close();
  });

  it('leaves no more requests open than the limit', async () => {
    const server = await serve((_request, response) => void response.write('x'));
    const guest = guestWith([`${server.origin}/*`], undefined, { netLimits: { openRequests: 2 } });
    expect(await guest.open('1', server.origin)).toMatchObject({ ok: true });
    expect(await guest.open('2', server.origin)).toMatchObject({ ok: true });
    expect(await guest.open('3', server.origin)).toMatchObject({ ok: false });
    await guest.ask('fetch.close', { request: '1' });
    expect(await guest.open('3', server.origin)).toMatchObject({ ok: true });
    await guest.close();
  });
});

describe('headers', () => {
  it('that belong to the connection are dropped, and ones that would split lines are refused', async () => {
    const server = await serve((request, response) => text(response, JSON.stringify(request.headers)));
    const guest = guestWith([`${server.origin}/*`]);
    const headers = [
      ['Host', 'evil.example'],
      ['Connection', 'x'],
      ['Proxy-Authorization', 'x'],
      ['X-A', '1'],
    ];
    const seen = JSON.parse(String(await guest.fetchText(server.origin, { headers })));
    expect(seen.host).toBe(`127.0.0.1:${server.port}`);
    expect(seen['x-a']).toBe('1');
    expect(seen).not.toHaveProperty('proxy-authorization');
    for (const bad of [
      ['X-A', 'a\r\nHost: b'],
      ['X A', '1'],
      ['X-A', '\u0000'],
      ['X-A', '€'],
    ]) {
      expect(await guest.fetchText(server.origin, { headers: [bad] })).toMatchObject({ name: 'TypeError' });
    }
    await guest.close();
  });

  it.each(['CONNECT', 'TRACE', 'GET /x HTTP/1.1\r\nHost: a', ''])('method %j is refused', async (method) => {
    const guest = guestWith(['http://a.example/*']);
    expect(await guest.fetchText('http://a.example/', { method })).toMatchObject({ name: 'TypeError' });
  });
});

function pour(response: ServerResponse, count: (bytes: number) => void = () => undefined): void {
  const chunk = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (!response.destroyed) {
      count(chunk.length);
      if (!response.write(chunk)) return void response.once('drain', more);
    }
  };
  more();
}
