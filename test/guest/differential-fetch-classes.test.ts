import { afterAll, beforeAll, describe, test } from 'vitest';
import { casesFor, expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

describe('Headers', () => {
  const INITS = [
    'undefined',
    'null',
    '5',
    '"a"',
    '{}',
    '{ a: "b" }',
    '{ A: 1, b: null, c: undefined }',
    '[["a", "b"]]',
    '[["a", "b"], ["A", "c"]]',
    '[["a"]]',
    '[["a", "b", "c"]]',
    '["ab"]',
    '[1]',
    'new Map([["x", "y"]])',
    'new Headers({ q: "r" })',
    '{ "": "x" }',
    '{ "a b": "x" }',
    '{ "ä": "x" }',
    '{ a: "ä" }',
    '{ a: "€" }',
    '{ a: "x\\ny" }',
    '{ a: "\\n x \\t" }',
    '{ a: "\\0" }',
    '{ "set-cookie": "x" }',
    '[["set-cookie", "a"], ["set-cookie", "b"]]',
    '{ [Symbol.iterator]: null, a: "b" }',
    '{ get a() { throw new RangeError("mine") } }',
    '() => {}',
    'new Set([["a", "b"]])',
    '{ "a:": "b" }',
    '{ b: "2", a: "1", C: "3" }',
  ];
  test('takes or refuses initial values as Node does', async () => {
    const cases = Object.fromEntries(
      INITS.map((init) => [init, `return [...new Headers(${init.startsWith('{') ? `(${init})` : init})]`]),
    );
    await expectSameAsNode(guest, cases, {
      '() => {}': {
        node: {
          returned: [
            ['text: length', 'text: 0'],
            ['text: name', 'text: '],
          ],
        },
        guest: { returned: [] },
        because: "Web IDL reads enumerable properties only; Node takes all of a function's",
      },
    });
  });

  const NAMES = [
    'a',
    'A-B',
    '',
    ' ',
    'a b',
    'ä',
    '€',
    ':',
    'a\n',
    '\u0000',
    "!#$%&'*+-.^_`|~9",
    '(',
    '"',
    '{',
    null,
    undefined,
    5,
  ];
  const VALUES = [
    '',
    'x',
    ' x ',
    '\t x\r\n',
    'x\ty',
    'x\ny',
    'x\ry',
    'x\u0000y',
    'ä',
    '€',
    'x\u000by',
    'x\u007fy',
    '\u00a0x',
    null,
    undefined,
    7,
  ];
  for (const method of ['append', 'set']) {
    test(`${method} checks names and values as Node does`, async () => {
      await expectSameAsNode(
        guest,
        casesFor(NAMES, `const h = new Headers(); h.${method}($, "v"); return [...h]`),
      );
      await expectSameAsNode(
        guest,
        casesFor(VALUES, `const h = new Headers({ n: "old" }); h.${method}("N", $); return [...h]`),
      );
    });
  }
  for (const method of ['get', 'has', 'delete']) {
    test(`${method} checks names as Node does`, async () => {
      await expectSameAsNode(
        guest,
        casesFor(NAMES, `const h = new Headers({ a: "1", null: "2" }); return [h.${method}($), [...h]]`),
      );
    });
  }

  test('combines, sorts and iterates as Node does', async () => {
    await expectSameAsNode(guest, {
      combined:
        'const h = new Headers([["b", "1"], ["a", "2"], ["B", "3"]]); return [h.get("b"), [...h], [...h.keys()], [...h.values()]]',
      cookies:
        'const h = new Headers([["set-cookie", "a=1"], ["x", "y"], ["Set-Cookie", "b=2"]]); return [h.getSetCookie(), h.get("set-cookie"), [...h]]',
      'set after append':
        'const h = new Headers([["a", "1"], ["b", "2"], ["a", "3"]]); h.set("A", "9"); return [...h]',
      forEach:
        'const seen = []; const h = new Headers({ b: "1", a: "2" }); h.forEach(function (v, k, o) { seen.push([v, k, o === h, this.t]) }, { t: 1 }); return seen',
      'changed while iterating':
        'const h = new Headers([["a", "1"], ["b", "2"], ["c", "3"]]); const seen = []; for (const [k] of h) { seen.push(k); h.delete(k) } return seen',
      'appended while iterating':
        'const h = new Headers([["a", "1"]]); const seen = []; for (const [k] of h) { seen.push(k); if (seen.length < 3) h.append("b" + seen.length, "x") } return seen',
      iterator:
        'const i = new Headers({ a: "b" }).entries(); return [Object.prototype.toString.call(i), i[Symbol.iterator]() === i, i.next(), i.next()]',
      members:
        'return [Object.keys(Headers.prototype).sort(), Headers.length, Headers.prototype[Symbol.iterator] === Headers.prototype.entries]',
      'missing arguments':
        'const out = []; const h = new Headers(); for (const m of ["append", "set", "get", "has", "delete", "forEach"]) { try { h[m](); out.push(m) } catch (e) { out.push(e.name) } } try { h.append("a") } catch (e) { out.push(e.name) } return out',
      'foreign receiver': 'return Headers.prototype.get.call({}, "a")',
      'proxy traps':
        'const seen = []; const p = new Proxy({ a: "1", b: "2" }, { ownKeys(t) { seen.push("ownKeys"); return Reflect.ownKeys(t) }, getOwnPropertyDescriptor(t, k) { seen.push("desc " + String(k)); return Reflect.getOwnPropertyDescriptor(t, k) }, get(t, k) { seen.push("get " + String(k)); return t[k] } }); new Headers(p); return seen',
      tag: 'return String(new Headers())',
    });
  });
});

describe('Request', () => {
  const fields =
    'r.method, r.url, r.redirect, r.mode, r.credentials, r.cache, r.referrer, r.referrerPolicy, r.integrity, r.keepalive, r.destination, r.duplex, r.bodyUsed, r.body === null, [...r.headers]';
  const INITS = [
    '{}',
    'undefined',
    'null',
    '5',
    '{ method: "post" }',
    '{ method: "patch" }',
    '{ method: "CONNECT" }',
    '{ method: "trace" }',
    '{ method: "" }',
    '{ method: "a b" }',
    '{ method: "fOo" }',
    '{ body: "x" }',
    '{ method: "HEAD", body: "" }',
    '{ method: "POST", body: "x" }',
    '{ method: "POST", body: null }',
    '{ method: "POST", body: undefined }',
    '{ method: "PUT", body: new URLSearchParams("a=b c") }',
    '{ method: "PUT", body: new Blob(["x"], { type: "t/u" }) }',
    '{ method: "PUT", body: new Blob(["x"]) }',
    '{ method: "PUT", body: new Uint8Array(2) }',
    '{ method: "PUT", body: 5 }',
    '{ method: "PUT", body: "x", headers: { "content-type": "q" } }',
    '{ method: "PUT", body: new ReadableStream() }',
    '{ method: "PUT", body: new ReadableStream(), duplex: "half" }',
    '{ method: "PUT", body: "x", duplex: "full" }',
    '{ redirect: "manual" }',
    '{ redirect: "x" }',
    '{ mode: "navigate" }',
    '{ mode: "no-cors" }',
    '{ mode: "same-origin" }',
    '{ mode: "zz" }',
    '{ credentials: "include" }',
    '{ credentials: "z" }',
    '{ cache: "no-store" }',
    '{ cache: "only-if-cached" }',
    '{ cache: "only-if-cached", mode: "same-origin" }',
    '{ referrer: "" }',
    '{ referrer: "about:client" }',
    '{ referrer: "x y" }',
    '{ referrerPolicy: "origin" }',
    '{ referrerPolicy: "z" }',
    '{ integrity: "i" }',
    '{ keepalive: 1 }',
    '{ window: null }',
    '{ window: 5 }',
    '{ signal: null }',
    '{ signal: 5 }',
    '{ signal: AbortSignal.abort("r") }',
    '{ headers: 5 }',
    '{ headers: [["a"]] }',
    '{ headers: { A: "b" } }',
    '{ mode: "no-cors", method: "PUT" }',
  ];
  test('takes or refuses options as Node does', async () => {
    const cases = Object.fromEntries(
      INITS.map((init) => [init, `const r = new Request("http://x/y?z#f", ${init}); return [${fields}]`]),
    );
    await expectSameAsNode(guest, cases);
  });

  test('takes or refuses inputs as Node does', async () => {
    await expectSameAsNode(
      guest,
      casesFor(
        [
          '',
          '/x',
          'x',
          'http://u:p@x/',
          'http://u@x/',
          'http://X/a/../b',
          'data:x',
          'foo:bar',
          'http://',
          'https://x#',
        ],
        'return new Request($).url',
      ),
    );
    await expectSameAsNode(guest, {
      'no argument': 'return new Request()',
      'URL object': 'return new Request(new URL("http://x/y")).url',
      request:
        'const a = new Request("http://x", { method: "POST", headers: { a: "b" }, body: "t" }); const b = new Request(a); return [b.method, [...b.headers], a.bodyUsed, b.bodyUsed, await b.text()]',
      'request with other headers':
        'const a = new Request("http://x", { headers: { a: "b" } }); return [...new Request(a, { headers: { c: "d" } }).headers]',
      'request with another method':
        'const a = new Request("http://x", { method: "POST", body: "t" }); return new Request(a, { method: "GET" })',
      'request with another body':
        'const a = new Request("http://x", { method: "POST", body: "t" }); const b = new Request(a, { body: "u" }); return [a.bodyUsed, await b.text()]',
      'used request':
        'const a = new Request("http://x", { method: "POST", body: "t" }); await a.text(); return new Request(a)',
      'used request with a body':
        'const a = new Request("http://x", { method: "POST", body: "t" }); await a.text(); return new Request(a, { body: "v" }).text()',
      'signal follows':
        'const c = new AbortController(); const r = new Request("http://x", { signal: c.signal }); const before = r.signal.aborted; c.abort("why"); return [before, r.signal.aborted, r.signal.reason, r.signal === c.signal]',
      'signal of a request':
        'const c = new AbortController(); const a = new Request("http://x", { signal: c.signal }); const b = new Request(a); c.abort(1); return [b.signal.aborted, a.clone().signal.aborted]',
      clone:
        'const a = new Request("http://x", { method: "POST", body: "t", headers: { q: "r" } }); const b = a.clone(); return [await a.text(), await b.text(), [...b.headers], b.method]',
      'clone of a used one':
        'const a = new Request("http://x", { method: "POST", body: "t" }); await a.text(); return a.clone()',
      'clone shares no headers':
        'const a = new Request("http://x", { headers: { a: "1" } }); const b = a.clone(); b.headers.set("a", "2"); return [a.headers.get("a"), b.headers.get("a")]',
      members:
        'return [Object.keys(Request.prototype).filter((k) => !["attribute", "isHistoryNavigation", "isReloadNavigation", "textStream"].includes(k)).sort(), Request.length]',
      'read-only url': '"use strict"; new Request("http://x").url = "y"',
      'foreign receiver': 'return Object.getOwnPropertyDescriptor(Request.prototype, "url").get.call({})',
      'text of a foreign receiver': 'return Request.prototype.text.call({}).then(() => 1, (e) => e.name)',
    });
  });
});

describe('Response', () => {
  const fields =
    'r.status, r.statusText, r.ok, r.type, r.url, r.redirected, r.bodyUsed, r.body === null, [...r.headers]';
  const ARGUMENTS = [
    '',
    'null',
    'undefined',
    '"x"',
    '""',
    '5',
    '"x", { status: 404, statusText: "No" }',
    '"x", { status: 199 }',
    '"x", { status: 600 }',
    '"x", { status: 204 }',
    'null, { status: 204 }',
    'null, { status: 304 }',
    '"x", { status: 304 }',
    '"x", { statusText: "a\\nb" }',
    '"x", { statusText: "ä" }',
    '"x", { statusText: "€" }',
    '"x", { status: "201" }',
    '"x", { status: NaN }',
    '"x", { status: 65737 }',
    '"x", { headers: { a: "b" } }',
    '"x", { headers: { "Content-Type": "q" } }',
    '"x", null',
    '"x", 5',
    'new URLSearchParams("a=b")',
    'new Blob(["x"], { type: "T/u" })',
    'new ArrayBuffer(2)',
    'new DataView(new ArrayBuffer(2))',
    'new ReadableStream()',
    '{}',
    '[1, 2]',
    'Symbol()',
  ];
  test('takes or refuses arguments as Node does', async () => {
    const cases = Object.fromEntries(
      ARGUMENTS.map((text) => [text, `const r = new Response(${text}); return [${fields}]`]),
    );
    await expectSameAsNode(guest, cases);
  });

  test('reads bodies as Node does', async () => {
    const bodies = [
      'null',
      '""',
      '"ä€"',
      '"\\ufeffx"',
      '"{\\"a\\": 1}"',
      '"\\ufeff[1]"',
      '"nope"',
      'new Uint8Array([1, 0xff])',
      'new Blob(["x"])',
      'new URLSearchParams("a=b&a=c")',
      'new ReadableStream({ start(c) { c.enqueue(Uint8Array.of(65, 66)); c.enqueue(Uint8Array.of(67)); c.close() } })',
      'new ReadableStream({ start(c) { c.enqueue("text"); c.close() } })',
      'new ReadableStream({ start(c) { c.error(new RangeError("mine")) } })',
    ];
    const cases: Record<string, string> = {};
    for (const body of bodies) {
      for (const method of ['text', 'json', 'arrayBuffer', 'bytes', 'formData']) {
        const read = method === 'formData' ? 'formData().then((f) => [...f])' : `${method}()`;
        cases[`${method} ${body}`] = `return new Response(${body}).${read}`;
      }
      cases[`blob ${body}`] =
        `const b = await new Response(${body}).blob(); return [b.size, b.type, await b.text()]`;
    }
    await expectSameAsNode(guest, cases);
  });

  test('keeps track of use as Node does', async () => {
    await expectSameAsNode(guest, {
      twice: 'const r = new Response("x"); await r.text(); return r.text()',
      bodyUsed:
        'const r = new Response("x"); const a = r.bodyUsed; const p = r.text(); const b = r.bodyUsed; await p; return [a, b, r.bodyUsed]',
      'no body is never used':
        'const r = new Response(); await r.text(); return [r.bodyUsed, await r.text()]',
      locked:
        'const r = new Response("x"); r.body.getReader(); return [r.bodyUsed, await r.text().catch((e) => e.name)]',
      'read through the stream':
        'const r = new Response("xy"); let n = 0; for await (const c of r.body) n += c.length; return [n, r.bodyUsed, await r.text().catch((e) => e.name)]',
      cancelled: 'const r = new Response("x"); await r.body.cancel(); return [r.bodyUsed]',
      'same stream': 'const r = new Response("x"); return r.body === r.body',
      'stream after reading':
        'const r = new Response("x"); await r.text(); return [r.body !== null, r.body.locked]',
      'given stream': 'const s = new ReadableStream(); return new Response(s).body === s',
      'given locked stream': 'const s = new ReadableStream(); s.getReader(); return new Response(s)',
      'given disturbed stream': 'const s = new ReadableStream(); await s.cancel(); return new Response(s)',
      clone:
        'const r = new Response("x", { status: 201, headers: { a: "b" } }); const c = r.clone(); return [await r.text(), await c.text(), c.status, [...c.headers]]',
      'clone of a stream':
        'const r = new Response(new ReadableStream({ start(c) { c.enqueue(Uint8Array.of(65)); c.close() } })); const c = r.clone(); return [await r.text(), await c.text()]',
      'clone after use': 'const r = new Response("x"); await r.text(); return r.clone()',
      'byte stream':
        'const reader = new Response("abc").body.getReader({ mode: "byob" }); const { value, done } = await reader.read(new Uint8Array(2)); return [value, done]',
      'foreign receiver': 'return Response.prototype.json.call({}).then(() => 1, (e) => e.name)',
    });
  });

  test('static methods make what Node makes', async () => {
    const status = ['undefined', '301', '302', '303', '307', '308', '200', '304', '"301"', 'NaN', '65837'];
    await expectSameAsNode(
      guest,
      Object.fromEntries(
        status.map((s) => [
          `redirect ${s}`,
          `const r = Response.redirect("http://x/y", ${s}); return [${fields}]`,
        ]),
      ),
    );
    await expectSameAsNode(guest, {
      'redirect nowhere': 'return Response.redirect("nope")',
      'redirect headers are immutable': 'Response.redirect("http://x").headers.set("a", "b")',
      error: `const r = Response.error(); return [${fields}]`,
      'error headers are immutable': 'Response.error().headers.append("a", "b")',
      json: `const r = Response.json({ a: 1 }); return [${fields}, await r.text()]`,
      'json with options': `const r = Response.json(null, { status: 201, headers: { "content-type": "q", x: "y" } }); return [${fields}, await r.text()]`,
      'json of undefined': 'return Response.json(undefined)',
      'json of a symbol': 'return Response.json(Symbol())',
      'json of a cycle': 'const a = {}; a.a = a; return Response.json(a)',
      'json with null status': 'return Response.json(1, { status: 204 })',
      members:
        'return [Object.keys(Response.prototype).filter((k) => k !== "textStream").sort(), Object.keys(Response).sort(), Response.length]',
    });
  });

  test('reads forms as Node does', async () => {
    const multipart = (text: string, boundary = 'B'): string =>
      `const r = new Response(${JSON.stringify(text)}, { headers: { "content-type": "multipart/form-data; boundary=${boundary}" } }); const out = []; for (const [k, v] of await r.formData()) out.push([k, typeof v === "string" ? v : [v.name, v.type, await v.text()]]); return out`;
    const part = (name: string, value: string, more = ''): string =>
      `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    await expectSameAsNode(
      guest,
      {
        'one field': multipart(`${part('a', 'b')}--B--\r\n`),
        'two fields': multipart(`${part('a', 'b')}${part('a', 'c\r\nd')}--B--\r\n`),
        file: multipart(
          `--B\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/x\r\n\r\nhello\r\n--B--\r\n`,
        ),
        'file without a type': multipart(`${part('f', 'z', '; filename="x"')}--B--\r\n`),
        'escaped names': multipart(`${part('a%22%0D%0Ab', 'v')}--B--\r\n`),
        'no final line end': multipart(`${part('a', 'b')}--B--`),
        'no end': multipart(`${part('a', 'b')}`),
        'no boundary': multipart('nothing'),
        'utf-8': multipart(`${part('ä', '€')}--B--\r\n`),
        'quoted boundary': multipart(`${part('a', 'b')}--B--\r\n`, '\\"B\\"'),
        urlencoded:
          'const r = new Response("a=b+c&a=%C3%A4", { headers: { "content-type": "application/x-www-form-urlencoded" } }); return [...await r.formData()]',
        'urlencoded with a question mark':
          'const r = new Response("?a=b", { headers: { "content-type": "application/x-www-form-urlencoded" } }); return [...await r.formData()]',
        'other type': 'return new Response("x", { headers: { "content-type": "text/plain" } }).formData()',
        'round trip':
          'const f = new FormData(); f.append("a\\n\\"", "b\\nc"); f.append("f", new Blob(["x"], { type: "t/u" }), "n\\".txt"); const out = []; for (const [k, v] of await new Response(f).formData()) out.push([k, typeof v === "string" ? v : [v.name, v.type, await v.text()]]); return out',
        'text of a form':
          'const f = new FormData(); f.append("a", "b\\nc"); f.append("f", new Blob(["x"]), "n"); const r = new Response(f); const boundary = /boundary=(.*)/.exec(r.headers.get("content-type"))[1]; return (await r.text()).replaceAll(boundary, "B")',
      },
      {
        'urlencoded with a question mark': {
          node: { returned: [['text: a', 'text: b']] },
          guest: { returned: [['text: ?a', 'text: b']] },
          because:
            'only the URLSearchParams constructor strips a question mark, not the parser of form bodies',
        },
      },
    );
  });
});
