import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Broker } from '../../core/sandbox/sandbox.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

interface Call {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

interface Remote {
  readonly calls: Call[];
  readonly broker: Broker;
}

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

/** The host's side of a fetch: what it opens, and one piece of the body for each read; `hang` never answers. */
function remote(
  opened: object,
  pieces: readonly (string | Uint8Array)[] = [],
  hang: 'open' | 'read' | 'never' = 'never',
): Remote {
  const calls: Call[] = [];
  const left = [...pieces];
  const answer = (value: unknown) => ({ ok: true, json: JSON.stringify(value) }) as const;
  const broker: Broker = async ({ method, params }) => {
    calls.push({ method, params: JSON.parse(params) });
    const forever = new Promise<never>(() => undefined);
    if (method === 'fetch.open') {
      if (hang === 'open') await forever;
      return answer({
        status: 200,
        statusText: 'OK',
        headers: [],
        url: 'http://a.example/',
        redirected: false,
        body: pieces.length > 0 || hang === 'read',
        ...opened,
      });
    }
    if (method === 'fetch.read') {
      const piece = left.shift();
      if (piece === undefined && hang === 'read') await forever;
      return answer(piece === undefined ? { done: true } : { chunk: base64(piece) });
    }
    return answer(null);
  };
  return { calls, broker };
}

describe('a request', () => {
  test('reaches the host with its method, URL, headers and body', async () => {
    const { calls, broker } = remote({});
    await guest.run(
      `await fetch('http://A.example/x y?q#frag', { method: 'post', headers: { 'X-A': '1' }, body: 'ä' });`,
      { broker },
    );
    expect(calls[0]).toEqual({
      method: 'fetch.open',
      params: {
        request: expect.any(String),
        method: 'POST',
        url: expect.stringMatching(/^http:\/\/a\.example\/x%20y\?q(#frag)?$/),
        headers: [
          ['X-A', '1'],
          ['Content-Type', 'text/plain;charset=UTF-8'],
        ],
        body: base64('ä'),
        redirect: 'follow',
      },
    });
  });

  test.each([
    [
      'URLSearchParams',
      'new URLSearchParams("a=b c")',
      'a=b+c',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['a Blob', 'new Blob(["x"], { type: "t/u" })', 'x', 't/u'],
    ['an ArrayBuffer', 'Uint8Array.of(65, 66).buffer', 'AB', undefined],
    [
      'a stream',
      'new ReadableStream({ start(c) { c.enqueue(Uint8Array.of(65)); c.enqueue(Uint8Array.of(66)); c.close() } })',
      'AB',
      undefined,
    ],
  ])('carries %s', async (_title, body, text, type) => {
    const { calls, broker } = remote({});
    await guest.run(`await fetch('http://a.example/', { method: 'PUT', duplex: 'half', body: ${body} })`, {
      broker,
    });
    const { params } = calls[0] as Call;
    expect(params.body).toBe(base64(text));
    expect(params.headers).toEqual(type === undefined ? [] : [['Content-Type', type]]);
  });

  test('carries a form as multipart', async () => {
    const { calls, broker } = remote({});
    await guest.run(
      `const f = new FormData(); f.append('a', 'b'); f.append('f', new File(['data'], 'n.txt', { type: 'text/x' })); await fetch('http://a.example/', { method: 'POST', body: f })`,
      { broker },
    );
    const { params } = calls[0] as Call;
    const sent = new Response(Buffer.from(String(params.body), 'base64'), {
      headers: params.headers as [string, string][],
    });
    const form = await sent.formData();
    expect(form.get('a')).toBe('b');
    const file = form.get('f') as File;
    expect([file.name, file.type, await file.text()]).toEqual(['n.txt', 'text/x', 'data']);
  });

  test('with an endless body stream is given up at the size limit', async () => {
    const { calls, broker } = remote({});
    const message = await guest.run(
      `const chunk = new Uint8Array(1_000_000); return fetch('http://a.example/', { method: 'POST', duplex: 'half', body: new ReadableStream({ pull(c) { c.enqueue(chunk) } }) }).catch((e) => e.name + ' ' + e.message)`,
      { broker },
    );
    expect(message).toMatch(/^TypeError .*larger than/);
    expect(calls).toEqual([]);
  });

  test.each(['', '/x', 'ftp://a.example/', 'file:///etc/passwd', 'blob:http://a.example/x'])(
    'for %j never leaves',
    async (url) => {
      const { calls, broker } = remote({});
      expect(await guest.run(`return fetch(${JSON.stringify(url)}).catch((e) => e.name)`, { broker })).toBe(
        'TypeError',
      );
      expect(calls).toEqual([]);
    },
  );

  test('that the host refuses fails with the host’s own error', async () => {
    const broker: Broker = async () => ({
      ok: false,
      error: { name: 'NotAllowedError', message: 'net: GET http://a.example/', code: 'permission_denied' },
    });
    expect(
      await guest.run(
        `return fetch('http://a.example/').catch((e) => [e.name, e.code, e.message, e instanceof Error])`,
        { broker },
      ),
    ).toEqual(['NotAllowedError', 'permission_denied', 'net: GET http://a.example/', true]);
  });
});

describe('a response', () => {
  test('tells what the host answered, with headers that can’t be changed', async () => {
    const { broker } = remote(
      {
        status: 404,
        statusText: 'No',
        headers: [
          ['X-A', '1'],
          ['set-cookie', 'a'],
          ['set-cookie', 'b'],
        ],
        url: 'http://a.example/z#f',
        redirected: true,
      },
      ['x'],
    );
    const result = await guest.run(
      `const r = await fetch('http://a.example/'); let changed; try { r.headers.set('a', 'b') } catch (e) { changed = e.name }
       return [r.status, r.ok, r.statusText, r.url, r.redirected, r.type, [...r.headers], changed, await r.text()]`,
      { broker },
    );
    expect(result).toEqual([
      404,
      false,
      'No',
      'http://a.example/z',
      true,
      'basic',
      [
        ['set-cookie', 'a'],
        ['set-cookie', 'b'],
        ['x-a', '1'],
      ],
      'TypeError',
      'x',
    ]);
  });

  test('is read piece by piece, and only as far as asked', async () => {
    const { calls, broker } = remote({}, ['one', 'two', 'three']);
    const first = await guest.run(
      `const r = await fetch('http://a.example/'); const reader = r.body.getReader(); const { value } = await reader.read(); await reader.cancel(); return new TextDecoder().decode(value)`,
      { broker },
    );
    expect(first).toBe('one');
    expect(calls.map((call) => call.method)).toEqual(['fetch.open', 'fetch.read', 'fetch.close']);
  });

  test('without a body reads as empty and is not asked for', async () => {
    const { calls, broker } = remote({ status: 204 });
    expect(
      await guest.run(`const r = await fetch('http://a.example/'); return [r.body, await r.text()]`, {
        broker,
      }),
    ).toEqual([null, '']);
    expect(calls.map((call) => call.method)).toEqual(['fetch.open']);
  });

  test('of several pieces joins characters that were split between them', async () => {
    const euro = Buffer.from('€€');
    const { broker } = remote({}, [euro.subarray(0, 1), euro.subarray(1, 4), euro.subarray(4)]);
    expect(await guest.run(`return (await fetch('http://a.example/')).text()`, { broker })).toBe('€€');
  });

  test('can be cloned, iterated and piped', async () => {
    const { broker } = remote({}, ['{"a":', '1}']);
    const result = await guest.run(
      `const r = await fetch('http://a.example/'); const c = r.clone(); let text = ''; for await (const part of c.body.pipeThrough(new TextDecoderStream())) text += part; return [text, await r.json()]`,
      { broker },
    );
    expect(result).toEqual(['{"a":1}', { a: 1 }]);
  });
});

describe('an abort', () => {
  test('before the request keeps it from leaving', async () => {
    const { calls, broker } = remote({});
    expect(
      await guest.run(
        `return fetch('http://a.example/', { signal: AbortSignal.abort('why') }).catch((e) => e)`,
        { broker },
      ),
    ).toBe('why');
    expect(calls).toEqual([]);
  });

  test('while waiting for the answer rejects with the reason and closes', async () => {
    const { calls, broker } = remote({}, [], 'open');
    const name = await guest.run(
      `return fetch('http://a.example/', { signal: AbortSignal.timeout(5) }).catch((e) => e.name)`,
      { broker },
    );
    expect(name).toBe('TimeoutError');
    expect(calls.map((call) => call.method)).toEqual(['fetch.open', 'fetch.close']);
    expect(calls[1]?.params.request).toBe(calls[0]?.params.request);
  });

  test.each([
    'r.text()',
    'r.body.getReader().read().then(({ value }) => value.length)',
    '(async () => { for await (const c of r.body) c })()',
  ])('in the middle of %s rejects with the reason and closes', async (read) => {
    const { calls, broker } = remote({}, [], 'read');
    const reason = await guest.run(
      `const c = new AbortController(); const r = await fetch('http://a.example/', { signal: c.signal }); setTimeout(() => c.abort('enough'), 5); return ${read}.catch((e) => e)`,
      { broker },
    );
    expect(reason).toBe('enough');
    expect(calls.map((call) => call.method)).toEqual(['fetch.open', 'fetch.read', 'fetch.close']);
  });

  test('after the end of the body does nothing', async () => {
    const { calls, broker } = remote({}, ['x']);
    expect(
      await guest.run(
        `const c = new AbortController(); const r = await fetch('http://a.example/', { signal: c.signal }); const text = await r.text(); c.abort(); return text`,
        { broker },
      ),
    ).toBe('x');
    expect(calls.map((call) => call.method)).toEqual(['fetch.open', 'fetch.read', 'fetch.read']);
  });
});
