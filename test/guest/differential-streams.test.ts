import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesFor, expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

const ALL = 'const all = async (s) => { const out = []; for await (const c of s) out.push(c); return out };';

describe('streams', () => {
  test('read, write and pipe as Node does', async () => {
    await expectSameAsNode(guest, {
      pull: `${ALL} let n = 0; return all(new ReadableStream({ pull(c) { n++ < 3 ? c.enqueue(n) : c.close() } }))`,
      error: `${ALL} return all(new ReadableStream({ pull(c) { throw new RangeError("mine") } }))`,
      locked:
        'const s = new ReadableStream(); s.getReader(); return [s.locked, await s.cancel().catch((e) => e.name)]',
      'second reader': 'const s = new ReadableStream(); s.getReader(); s.getReader()',
      cancel:
        'let why; const s = new ReadableStream({ cancel(r) { why = r } }); await s.cancel("x"); return [why, await s.getReader().read().then((r) => r.done)]',
      tee: `${ALL} const [a, b] = new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); c.close() } }).tee(); return [await all(a), await all(b)]`,
      from: `${ALL} return all(ReadableStream.from([1, 2, 3]))`,
      'from async': `${ALL} return all(ReadableStream.from((async function* () { yield 1; yield 2 })()))`,
      'break out of a loop':
        'let cancelled = false; const s = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel() { cancelled = true } }); for await (const c of s) break; return [cancelled, s.locked]',
      'keep after a loop':
        'const s = new ReadableStream({ pull(c) { c.enqueue(1) } }); for await (const c of s.values({ preventCancel: true })) break; return [s.locked, (await s.getReader().read()).value]',
      release:
        'const s = new ReadableStream({ start(c) { c.enqueue(1) } }); const r = s.getReader(); r.releaseLock(); return [s.locked, await r.read().catch((e) => e.name), (await s.getReader().read()).value]',
      bytes:
        'const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(Uint8Array.of(1, 2, 3)); c.close() } }); const r = s.getReader({ mode: "byob" }); const a = await r.read(new Uint8Array(2)); const b = await r.read(new Uint8Array(2)); const c = await r.read(new Uint8Array(2)); return [a.value, b.value, c.done]',
      transform: `${ALL} return all(ReadableStream.from([1, 2]).pipeThrough(new TransformStream({ transform(x, c) { c.enqueue(x * 2); c.enqueue("x") }, flush(c) { c.enqueue("end") } })))`,
      'transform error': `${ALL} return all(ReadableStream.from([1]).pipeThrough(new TransformStream({ transform() { throw new RangeError("t") } })))`,
      write:
        'const out = []; const w = new WritableStream({ write(c) { out.push(c) }, close() { out.push("closed") } }).getWriter(); await w.write(1); await w.close(); return out',
      'abort a write':
        'const out = []; const w = new WritableStream({ abort(r) { out.push(r) } }).getWriter(); await w.abort("why"); return [out, await w.write(1).catch((e) => e)]',
      'back pressure':
        'const w = new WritableStream({}, { highWaterMark: 2 }).getWriter(); const before = w.desiredSize; w.write(1); return [before, w.desiredSize]',
      pipeTo:
        'const out = []; await ReadableStream.from([1, 2]).pipeTo(new WritableStream({ write(c) { out.push(c) } })); return out',
      'aborted pipeTo':
        'const c = new AbortController(); const p = new ReadableStream().pipeTo(new WritableStream(), { signal: c.signal }); c.abort("stop"); return p.then(() => 1, (e) => e)',
      strategies:
        'return [new CountQueuingStrategy({ highWaterMark: 3 }).size("x"), new ByteLengthQueuingStrategy({ highWaterMark: 1 }).size(new Uint8Array(5)), new CountQueuingStrategy({ highWaterMark: 3 }).highWaterMark]',
      'bad strategy': 'return new ReadableStream({}, { highWaterMark: -1 })',
      'bad source': 'return new ReadableStream({ type: "x" })',
      'controllers cannot be made': 'return new ReadableStreamDefaultController()',
      names:
        'return [ReadableStream, WritableStream, TransformStream, ReadableStreamDefaultReader, WritableStreamDefaultWriter, ByteLengthQueuingStrategy].map((c) => c.name)',
      tags: 'return [String(new ReadableStream()), String(new WritableStream()), String(new TransformStream()), String(new ReadableStream().getReader())]',
    });
  });

  const text = '"hello ".repeat(500)';
  for (const format of ['gzip', 'deflate', 'deflate-raw']) {
    test(`${format} can be undone by the other side, both ways`, async () => {
      const pack = `const bytes = new Uint8Array(await new Response(new Blob([${text}]).stream().pipeThrough(new CompressionStream('${format}'))).arrayBuffer()); return [...bytes]`;
      const unpack = (bytes: unknown): string =>
        `return new Response(new Blob([Uint8Array.from(${JSON.stringify(bytes)})]).stream().pipeThrough(new DecompressionStream('${format}'))).text()`;
      const inNode = async (body: string): Promise<unknown> =>
        new (async () => undefined).constructor.prototype.constructor.constructor(
          `return (async () => {${body}})()`,
        )();
      const packedHere = await inNode(pack);
      const packedThere = await guest.run(pack);
      expect(await guest.run(unpack(packedHere))).toBe('hello '.repeat(500));
      expect(await inNode(unpack(packedThere))).toBe('hello '.repeat(500));
    });
  }

  test('compressed data that is broken or cut short is an error', async () => {
    const undo = (bytes: string, format = 'gzip'): string =>
      `return new Response(new Blob([Uint8Array.from(${bytes})]).stream().pipeThrough(new DecompressionStream('${format}'))).text().then(() => 'fine', (e) => e.name)`;
    const cut = `[...new Uint8Array(await new Response(new Blob(["x".repeat(99)]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer())].slice(0, 12)`;
    await expectSameAsNode(guest, {
      nonsense: undo('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]'),
      'cut short': undo(cut),
      'unknown format': 'new CompressionStream("br2")',
      'no format': 'new DecompressionStream()',
    });
  });
});

describe('URLPattern', () => {
  const PATTERNS = [
    '/a/:id',
    '/a/*',
    '/a/:id(\\\\d+)',
    '/a{/b}?',
    '/:a/:b?',
    '/:a+',
    '/:a*',
    '*',
    '/a.b',
    '/%41',
    '/ä',
    '/(x|y)',
    '/a/:id.:ext',
    '',
    '/(',
    '/:',
    '/{a',
    '/*?',
  ];
  const PATHS = [
    '',
    '/',
    '/a',
    '/a/',
    '/a/5',
    '/a/x',
    '/a/b',
    '/a/b/c',
    '/x',
    '/a.b',
    '/axb',
    '/A',
    '/%41',
    '/a/5.png',
    '/ä',
    '/%C3%A4',
  ];
  test('matches paths as Node does', async () => {
    const body = `const p = new URLPattern({ pathname: $ }); return [p.pathname, ${JSON.stringify(PATHS)}.map((path) => { const m = p.exec({ pathname: path }); return m && [m.pathname.input, Object.entries(m.pathname.groups).sort()] })]`;
    await expectSameAsNode(guest, casesFor(PATTERNS, body));
  });

  test('matches whole URLs as Node does', async () => {
    const test = (pattern: string, urls: string[]): string =>
      `const p = new URLPattern(${pattern}); return [p.protocol, p.hostname, p.port, p.pathname, p.search, ${JSON.stringify(urls)}.map((u) => p.test(u))]`;
    await expectSameAsNode(
      guest,
      {
        string: test('"https://*.example.com/a/*"', [
          'https://x.example.com/a/b',
          'http://x.example.com/a/b',
          'https://example.com/a/b',
          'https://x.example.com/a/b?q',
          'https://x.example.com:444/a/b',
        ]),
        base: test('"/a?x=*", "https://h.example"', ['https://h.example/a?x=1', 'https://h.example/a']),
        object: test('{ protocol: "http{s}?", hostname: "h", port: "80*" }', [
          'http://h:8080/',
          'https://h/',
          'http://h:81/',
        ]),
        'ignore case':
          'return new URLPattern({ pathname: "/ABC" }, { ignoreCase: true }).test({ pathname: "/abc" })',
        'relative without base': 'return new URLPattern("/a")',
        'no argument': 'return new URLPattern().test("http://x/y")',
        groups:
          'return new URLPattern({ hostname: ":sub.example.com", search: "q=:q" }).exec("http://a.example.com/?q=5").hostname.groups',
        'wrong url': 'return new URLPattern({}).test("nope")',
        'regexp groups':
          'return [new URLPattern({ pathname: "/(x)" }).hasRegExpGroups, new URLPattern({ pathname: "/:x" }).hasRegExpGroups]',
      },
      {
        'wrong url': {
          node: { returned: true },
          guest: { returned: false },
          because: 'what is no URL matches no pattern',
        },
      },
    );
  });
});

describe('URLPattern in corners', () => {
  const LIBRARY = 'urlpattern-polyfill reads this corner by an earlier draft of the standard';
  const made = (pattern: string): string =>
    `const p = new URLPattern(${pattern}); return [p.protocol, p.hostname, p.port, p.pathname]`;

  test('differs from Node only where the library is behind the standard', async () => {
    const refused = (pathname: string, hostname: string, port = '') => ({
      node: { returned: ['text: *', `text: ${hostname}`, `text: ${port}`, `text: ${pathname}`] },
      guest: { threw: 'TypeError TypeError' },
      because: LIBRARY,
    });
    const wholeHost = { ...refused('*', 'bad', '*') };
    const cases = {
      'a host with a fragment': made('{ hostname: "bad#hostname" }'),
      'a host with a path': made('{ hostname: "bad/hostname" }'),
      'a host with a tab': made('{ hostname: "bad\\thostname" }'),
      'a name outside the basic plane': made('{ pathname: "/:\u{20000}" }'),
      'set notation': made('{ pathname: "/([[a-z]--a])" }'),
      'a port with more behind it': 'return new URLPattern({ port: "80" }).test({ port: "80x" })',
    };
    await expectSameAsNode(guest, cases, {
      'a host with a fragment': wholeHost,
      'a host with a path': wholeHost,
      'a host with a tab': refused('*', 'badhostname', '*'),
      'a name outside the basic plane': refused('/:\u{20000}', '*', '*'),
      'set notation': refused('/([[a-z]--a])', '*', '*'),
      'a port with more behind it': {
        node: { returned: true },
        guest: { returned: false },
        because: LIBRARY,
      },
    });
  });
});

describe('the global object', () => {
  test('takes listeners and errors that nobody caught', async () => {
    const log: string[] = [];
    const result = await guest.run(
      `const seen = []; addEventListener('error', (e) => { seen.push([e instanceof ErrorEvent, e.message, e.error.message]); e.preventDefault() }, { once: true });
       reportError(new RangeError('one')); setTimeout(() => { throw new TypeError('two') }, 1); await new Promise((r) => setTimeout(r, 10));
       onerror = (message, file, line, column, error) => { seen.push(error); return true }; reportError('three'); onerror = null; dispatchEvent(new Event('x')); return seen`,
      { onLog: (level, text) => log.push(`${level} ${text}`) },
    );
    expect(result).toEqual([[true, expect.stringMatching(/^Uncaught RangeError: one/), 'one'], 'three']);
    expect(log).toEqual([expect.stringMatching(/^error Uncaught TypeError: two/)]);
  });

  test('writes to the console in the order and on the level of each call', async () => {
    const log: string[] = [];
    await guest.run(
      `console.log('a', 1, { b: [1, 'x', null, undefined], c: new Map([[1, 2]]) }); console.warn('%s is %d of %i%%', 'x', '4.5', 7.9); console.error(new RangeError('bad').message); console.debug([]); console.group('g'); console.info('in\\nside'); console.groupEnd(); console.assert(1 === 2, 'no %s', 'way'); console.count(); console.count(); const o = {}; o.o = o; console.log(o); console.log({ get x() { throw 1 } }); console.log(); console.table([{ a: 1 }])`,
      { onLog: (level, text) => log.push(`${level} ${text}`) },
    );
    expect(log).toEqual([
      'info a 1 { b: [ 1, "x", null, undefined ], c: Map(1) { 1 => 2 } }',
      'warn x is 4.5 of 7%',
      'error bad',
      'debug []',
      'info g',
      'info   in\n  side',
      'error Assertion failed: no way',
      'info default: 1',
      'info default: 2',
      'info { o: [Circular] }',
      'info { x: [Getter] }',
      'info 0\ta=1',
    ]);
  });
});
