import { afterAll, beforeAll, describe, test } from 'vitest';
import { casesFor, expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

const PARTS =
  'const u = new URL($, "http://base.example:8080/a/b/c?d#e"); return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, String(u.searchParams)]';

const URLS = [
  '',
  '.',
  '..',
  '../..',
  '/',
  '//',
  '///',
  '/x',
  '//host',
  '//host:99/x',
  '?q',
  '#f',
  'x?y#z',
  './././x',
  '%2e%2e/x',
  'x/%2E/y',
  'http:',
  'http:x',
  'http:/x',
  'http://',
  'http://x',
  'https:x',
  'http://a:b@c:1/d?e#f',
  'http://a@b@c/',
  'http://:@c/',
  'http://%61%40:%3a@h/',
  'http://EXAMPLE.com/',
  'http://example.com:80/',
  'http://example.com:00080/',
  'http://example.com:65536/',
  'http://example.com:-1/',
  'http://example.com:8a/',
  'http://0x7f.1/',
  'http://127.1',
  'http://0177.0.0.1',
  'http://2130706433',
  'http://256.256.256.256',
  'http://1.2.3',
  'http://1.2.3.4.5',
  'http://0x.0x',
  'http://1.2.3.08',
  'http://foo.0x4',
  'http://1e2',
  'http://[::1]',
  'http://[1:2:3:4:5:6:7:8]',
  'http://[::ffff:1.2.3.4]/',
  'http://[1::2::3]',
  'http://[:1]',
  'http://[::1',
  'http://[0:0:0:1:0:0:0:0]',
  'http://[::%1]',
  'http://[v1.x]',
  'http://ex ample/',
  'http://ex%20ample',
  'http://ex%00',
  'http://a<b',
  'http://a^b',
  'http://a|b',
  'http://%',
  'http://%zz',
  'http://%41',
  'http://a%2fb',
  'http://ünïcode.example/',
  'http://faß.example',
  'http://☃.net/',
  'http://xn--nxasmq6b/',
  'http://日本語。ＪＰ',
  'http://a\u00adb',
  'http://\u200d',
  'http://%EF%BC%A1',
  'http://a.b.',
  'http://a..b',
  'http://x/ä?ö#ü',
  'http://x/%C3%A4',
  'http://x/a b?c d#e f',
  'http://x/"<>`{}|\\^',
  'http://x/?"<>\'`{}|\\^',
  'http://x/#"<>\'`{}|\\^',
  'http://x/\ud800?\udc00',
  'http://x/\t\n\ra',
  ' http://x ',
  '\u0000http://x\u001f',
  'file:',
  'file:///',
  'file:x',
  'file:/x',
  'file://x/y',
  'file:///C:/x',
  'file:///C|/x/../..',
  'file:c:\\x\\y',
  'file://localhost/x',
  'file:///..//x',
  'file:////x',
  'data:x',
  'data: x ',
  'data:x?y#z',
  'data:a b',
  'javascript:alert(1)',
  'mailto:a@b.c',
  'blob:http://x/y',
  'blob:x',
  'about:blank',
  'urn:isbn:1',
  'foo:',
  'foo:/',
  'foo://',
  'foo://H/p',
  'foo://h:1/',
  'foo:///x',
  'foo:/..//x',
  'foo://h o',
  'foo://%41/',
  'foo://[::1]/',
  'foo:x/../y',
  'foo:a b',
  'foo:a  #x',
  'foo://a^b',
  'foo:\\x',
  'foo+bar-1.2:x',
  '1foo:x',
  'ws://h:80/',
  'wss://h:443',
  'ftp://h:21/x',
  'http:\\\\x\\y',
  'http:/\\x',
  '\\x',
  '\\\\x\\y',
  'http://u\\@h',
  'http://x:/',
  'http://x?y:z@w',
  'http://x#y@z',
  'http://a:b:c@d/',
  'http://x/a;b=c,d',
  'http://x/a%',
  'http://x/%2e%2E%2f',
  'http://x/a/../../..',
  'http://x/a/./b/..',
  'http://x//a//',
  'http://x?',
  'http://x#',
  'http://x/?#',
];

describe('URL', () => {
  test('parses and serializes every input as Node does', async () => {
    await expectSameAsNode(guest, casesFor(URLS, PARTS));
  });

  test('takes or refuses inputs without a base as Node does', async () => {
    await expectSameAsNode(guest, casesFor(URLS, 'return [URL.canParse($), URL.parse($)?.href]'));
  });

  const SETTERS = [
    'href',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ];
  const VALUES = [
    '',
    'x',
    ':',
    '/',
    '?',
    '#',
    '@',
    'a:b',
    'http',
    'https:',
    'file',
    'foo',
    '80',
    '443',
    '8080x',
    'x80',
    '-1',
    '65536',
    'h:1',
    'h:1/p?q#f',
    '[::1]',
    '[::1]:5',
    'a b',
    'ä',
    '%',
    '%41',
    '../x',
    '\\x',
    '?a=b&c',
    '#?',
    '\t1\n2',
    'x@y',
    '127.1',
    '\ud83d',
    '//x',
    'x\\y',
    'xn--',
    '0x1',
    'a..b',
    ' ',
  ];
  for (const attribute of SETTERS) {
    test(`sets ${attribute} as Node does`, async () => {
      const bodies = [
        'http://u:p@h:99/a?b#c',
        'https://h',
        'file:///c:/x',
        'foo:opaque ?q#h',
        'foo://h/p',
        'foo:/p',
      ].map(
        (url) =>
          `const u = new URL("${url}"); u.searchParams; u.${attribute} = $; return [u.href, String(u.searchParams)]`,
      );
      for (const body of bodies) await expectSameAsNode(guest, casesFor(VALUES, body));
    });
  }

  test('converts arguments and checks receivers as Node does', async () => {
    await expectSameAsNode(guest, {
      'no argument': 'return new URL()',
      'without new': 'return URL("http://x")',
      'a symbol': 'return new URL(Symbol())',
      'an object': 'return new URL({ toString: () => "http://x/y" }).href',
      'a URL': 'return new URL(new URL("http://x/y"), "http://z").href',
      'undefined base': 'return new URL("http://x", undefined).href',
      'null base': 'return new URL("http://x", null).href',
      'undefined input': 'return new URL(undefined, "http://x/").href',
      'foreign receiver': 'return Object.getOwnPropertyDescriptor(URL.prototype, "href").get.call({})',
      'read-only origin': '"use strict"; const u = new URL("http://x"); u.origin = "y"; return u.href',
      tag: 'return Object.prototype.toString.call(new URL("http://x"))',
      members: 'return Object.keys(URL.prototype).sort()',
      statics: 'return [URL.canParse.length, URL.parse.length, URL.length, URL.name]',
      JSON: 'return JSON.stringify({ u: new URL("http://x") })',
      'same searchParams':
        'const u = new URL("http://x?a"); const p = u.searchParams; u.search = "b"; return [p === u.searchParams, String(p)]',
      'parse never throws': 'return [URL.parse("x"), URL.parse("x", "y"), URL.canParse("x", "http://y")]',
      error:
        'try { new URL("nope", "bad") } catch (error) { return [error.name, error.message, error.code, error.input, error.base] }',
    });
  });
});

describe('URLSearchParams', () => {
  const QUERIES = [
    '',
    '?',
    '??',
    'a',
    '=',
    '=b',
    'a=',
    'a=b',
    '?a=b',
    'a=b&a=c',
    '&&a&&',
    'a=b=c',
    'a+b=c+d',
    '%20=%2B',
    'a=%zz',
    'a=%',
    '%ff=%C3%A4',
    'ä=ö',
    '\ufeffa=b',
    'a=\u0000',
    '\ud800=x',
    'a;b=c',
    '#a=b',
    '%EF%BB%BFtest=%EF%BB%BF',
    'a=😀',
    "!'()*-._~ @/:;=&",
  ];
  test('parses and serializes as Node does', async () => {
    await expectSameAsNode(
      guest,
      casesFor(QUERIES, 'const p = new URLSearchParams($); return [[...p], String(p), p.size]'),
    );
  });

  test('takes initial values as Node does', async () => {
    const inits = [
      'undefined',
      'null',
      '5',
      '[]',
      '[["a"]]',
      '[["a","b","c"]]',
      '[["a", 1], ["b", null]]',
      '["ab"]',
      '[1]',
      '({})',
      '({ a: 1, b: undefined })',
      '({ "\\ud800": "\\ud800" })',
      'new Map([["a", "b"]])',
      'new URLSearchParams("a=b")',
      'new Set(["ab", "cd"])',
      '({ [Symbol.iterator]: undefined, x: 1 })',
      '({ [Symbol.iterator]: 5 })',
      'Object.create({ inherited: 1 })',
      '() => {}',
      'Symbol()',
      'Object.assign(() => {}, { f: 1 })',
      'new Date(NaN)',
      '[new Set(["k", "v"])]',
    ];
    const cases = Object.fromEntries(inits.map((init) => [init, `return [...new URLSearchParams(${init})]`]));
    await expectSameAsNode(guest, cases);
  });

  test('changes, reads and iterates as Node does', async () => {
    const on = (body: string): string => `const p = new URLSearchParams("b=1&a=2&b=3&ａ=4&😀=5"); ${body}`;
    await expectSameAsNode(guest, {
      append: on('p.append("x", "y z"); p.append("n", null); return String(p)'),
      'append with one argument': on('p.append("x")'),
      delete: on('p.delete("b"); return String(p)'),
      'delete by value': on('p.delete("b", "3"); p.delete("b", undefined); return String(p)'),
      'delete by value, kept': on('p.delete("b", "9"); return String(p)'),
      get: on('return [p.get("b"), p.get("z"), p.getAll("b"), p.getAll("z")]'),
      has: on('return [p.has("b"), p.has("b", "3"), p.has("b", "4"), p.has("b", undefined), p.has("z")]'),
      set: on('p.set("b", 9); p.set("new", "v"); return String(p)'),
      sort: on('p.sort(); return String(p)'),
      'sort is stable': 'const p = new URLSearchParams("z=b&a=b&z=a&a=a"); p.sort(); return String(p)',
      'sort by code units':
        'const p = new URLSearchParams("\\ufffd=1&\\ud83d\\ude00=2"); p.sort(); return [...p.keys()]',
      forEach: on(
        'const seen = []; p.forEach(function (v, k, o) { seen.push([this.t, k, v, o === p]) }, { t: 1 }); return seen',
      ),
      'forEach without function': on('p.forEach()'),
      'changed while iterating':
        'const p = new URLSearchParams("a=1&b=2&c=3"); const seen = []; for (const [k] of p) { seen.push(k); p.delete(k) } return [seen, String(p)]',
      'appended while iterating':
        'const p = new URLSearchParams("a=1"); const seen = []; for (const [k] of p) { seen.push(k); if (seen.length < 4) p.append("n" + seen.length, "") } return seen',
      'iterator shape': on(
        'const i = p.entries(); return [Object.prototype.toString.call(i), i[Symbol.iterator]() === i, p[Symbol.iterator] === p.entries, typeof Object.getPrototypeOf(i).next, i.next(), [...p.keys()], [...p.values()]]',
      ),
      'next of a foreign object': on('p.keys().next.call({})'),
      'writes through to the URL':
        'const u = new URL("http://x?a=~&b=%7e"); const before = u.href; u.searchParams.append("c", "d e"); return [before, u.href, (u.searchParams.delete("a"), u.searchParams.delete("b"), u.searchParams.delete("c"), u.href)]',
      'sort writes through': 'const u = new URL("http://x?"); u.searchParams.sort(); return u.href',
      'size is read-only': '"use strict"; const p = new URLSearchParams("a"); p.size = 5',
      members: 'return [Object.keys(URLSearchParams.prototype).sort(), URLSearchParams.length]',
      'foreign receiver': 'return URLSearchParams.prototype.get.call({}, "a")',
    });
  });
});
