import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cases, casesFor, expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

test('a difference between the two worlds does not go unnoticed', async () => {
  await expect(expectSameAsNode(guest, { platform: 'return process.platform' })).rejects.toThrow();
});

const BYTES = [
  [],
  [0x41],
  [0xc3, 0xa4],
  [0xe2, 0x82, 0xac],
  [0xf0, 0x9f, 0x98, 0x80],
  [0x80],
  [0xc0, 0x80],
  [0xc3],
  [0xe2, 0x82],
  [0xe2, 0x82, 0x41],
  [0xf0, 0x9f, 0x98],
  [0xf0, 0x41],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
  [0xfe, 0xff],
  [0xff, 0xfe, 0x41, 0],
  [0xef, 0xbb, 0xbf],
  [0xef, 0xbb, 0xbf, 0x41],
  [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf],
  [0xef, 0xbb],
  [0x41, 0xef, 0xbb, 0xbf],
  [0, 0xd8, 0, 0xdc],
  [0, 0xd8, 0x41],
  [0x41],
  [0x3d, 0xd8, 0, 0xde],
  [0x81, 0x30, 0x81, 0x30],
  [0x82, 0xa0],
  [0x1b, 0x24, 0x42, 0x24, 0x22],
  [0xa4, 0xa2],
  [0x8f, 0xb0, 0xa1],
  [0x88, 0x62],
  [0x80, 0x9f, 0xff],
];

const LABELS = [
  'utf-8',
  'utf8',
  'UTF-8',
  ' utf-8\n',
  'unicode-1-1-utf-8',
  'utf-16',
  'utf-16le',
  'utf-16be',
  'latin1',
  'ascii',
  'us-ascii',
  'iso-8859-1',
  'windows-1252',
  'cp1252',
  'iso-8859-2',
  'iso-8859-8-i',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'ibm866',
  'windows-874',
  'windows-1251',
  'x-mac-cyrillic',
  'gbk',
  'gb2312',
  'gb18030',
  'big5',
  'big5-hkscs',
  'euc-jp',
  'iso-2022-jp',
  'shift_jis',
  'sjis',
  'euc-kr',
  'ks_c_5601-1987',
  'x-user-defined',
  'replacement',
  'iso-2022-kr',
  'hz-gb-2312',
  'utf-7',
  'utf-32',
  'nope',
  '',
  'utf-8\u0000',
  '\u00a0utf-8',
  'undefined',
  'null',
];

describe('TextDecoder', () => {
  test('knows the labels that Node knows', async () => {
    await expectSameAsNode(guest, casesFor(LABELS, 'return new TextDecoder($).encoding'));
  });

  for (const label of ['utf-8', 'utf-16le', 'utf-16be']) {
    test(`decodes ${label} as Node does, whole and in pieces`, async () => {
      const cases: Record<string, string> = {};
      for (const bytes of BYTES) {
        const array = `new Uint8Array([${bytes}])`;
        for (const options of [
          '{}',
          '{ fatal: true }',
          '{ ignoreBOM: true }',
          '{ fatal: true, ignoreBOM: true }',
        ]) {
          cases[`${options} ${bytes}`] = `return new TextDecoder("${label}", ${options}).decode(${array})`;
          cases[`${options} ${bytes} by bytes`] =
            `const d = new TextDecoder("${label}", ${options}); let out = ""; for (const byte of ${array}) out += "|" + d.decode(Uint8Array.of(byte), { stream: true }); return out + "|" + d.decode()`;
        }
      }
      await expectSameAsNode(guest, cases);
    });
  }

  test('decodes single-byte encodings byte by byte as Node does', async () => {
    const labels = [
      'ibm866',
      'iso-8859-2',
      'iso-8859-3',
      'iso-8859-4',
      'iso-8859-5',
      'iso-8859-6',
      'iso-8859-7',
      'iso-8859-10',
      'iso-8859-13',
      'iso-8859-14',
      'iso-8859-15',
      'koi8-r',
      'macintosh',
      'windows-874',
      'windows-1250',
      'windows-1251',
      'windows-1254',
      'windows-1256',
      'windows-1258',
      'x-mac-cyrillic',
    ];
    await expectSameAsNode(
      guest,
      casesFor(labels, 'return new TextDecoder($).decode(Uint8Array.from({ length: 256 }, (_, i) => i))'),
    );
  });

  test('decodes windows-1252 by the standard', async () => {
    // Node 24 decodes it as Latin-1 in one of its paths.
    const text = await guest.run(
      'return new TextDecoder("latin1").decode(Uint8Array.of(0x80, 0x85, 0x92, 0xe4, 0x81))',
    );
    expect(text).toBe('€…’ä\u0081');
  });

  const MULTI: Cases = {
    shift_jis:
      'return new TextDecoder("shift_jis").decode(Uint8Array.of(0x82, 0xa0, 0xb1, 0x83, 0x5c, 0x80, 0xfc))',
    'euc-jp':
      'return new TextDecoder("euc-jp").decode(Uint8Array.of(0xa4, 0xa2, 0x8e, 0xb1, 0x8f, 0xb0, 0xa1))',
    'iso-2022-jp':
      'return new TextDecoder("iso-2022-jp").decode(Uint8Array.of(0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42, 0x41))',
    gbk: 'return new TextDecoder("gbk").decode(Uint8Array.of(0xc4, 0xe3, 0xba, 0xc3, 0x41))',
    gb18030:
      'return new TextDecoder("gb18030").decode(Uint8Array.of(0x94, 0x39, 0xda, 0x33, 0x81, 0x30, 0x84, 0x36))',
    big5: 'return new TextDecoder("big5").decode(Uint8Array.of(0xa7, 0x41, 0xa6, 0x6e))',
    'euc-kr': 'return new TextDecoder("euc-kr").decode(Uint8Array.of(0xbe, 0xc8, 0xb3, 0xe7))',
    'a split character':
      'const d = new TextDecoder("gbk"); return d.decode(Uint8Array.of(0xc4), { stream: true }) + "|" + d.decode(Uint8Array.of(0xe3))',
  };
  test('decodes multi-byte encodings as Node does', async () => {
    await expectSameAsNode(guest, MULTI, {
      shift_jis: {
        node: { returned: 'text: あｱソ\ufffd\ufffd' },
        guest: { returned: 'text: あｱソ\u0080\ufffd' },
        because:
          'the standard decodes byte 0x80 of Shift_JIS to U+0080; ICU, which Node uses, calls it malformed',
      },
    });
  });

  test('converts arguments and checks receivers as Node does', async () => {
    await expectSameAsNode(guest, {
      'no input': 'return new TextDecoder().decode()',
      'a buffer': 'return new TextDecoder().decode(Uint8Array.of(65, 66).buffer)',
      'a view with an offset':
        'return new TextDecoder().decode(new DataView(Uint8Array.of(65, 66, 67, 68).buffer, 1, 2))',
      'a Uint16Array': 'return new TextDecoder().decode(Uint16Array.of(0x4241))',
      'a string': 'return new TextDecoder().decode("x")',
      'an array': 'return new TextDecoder().decode([65])',
      attributes:
        'const d = new TextDecoder("utf-16", { fatal: 1, ignoreBOM: "x" }); return [d.encoding, d.fatal, d.ignoreBOM]',
      'without new': 'return TextDecoder()',
      'options null': 'return new TextDecoder("utf-8", null).fatal',
      'a detached buffer':
        'const b = new ArrayBuffer(4); structuredClone(b, { transfer: [b] }); return new TextDecoder().decode(b)',
      'state after fatal':
        'const d = new TextDecoder("utf-8", { fatal: true }); try { d.decode(Uint8Array.of(0xff)) } catch {} return d.decode(Uint8Array.of(65))',
      'BOM in each turn':
        'const d = new TextDecoder(); const b = Uint8Array.of(0xef, 0xbb, 0xbf, 65); return [d.decode(b), d.decode(b)]',
      tag: 'return Object.prototype.toString.call(new TextDecoder())',
    });
  });
});

describe('TextEncoder', () => {
  const TEXTS = [
    '',
    'abc',
    'ä',
    '€',
    '😀',
    '\ud800',
    '\udc00',
    'a\ud800b',
    '\udc00\ud800',
    '\u0000',
    '\ufeff',
    'x'.repeat(70),
  ];
  test('encodes as Node does', async () => {
    await expectSameAsNode(guest, casesFor(TEXTS, 'return new TextEncoder().encode($)'));
  });

  for (const size of [0, 1, 2, 3, 4, 5, 10]) {
    test(`encodes into ${size} bytes as Node does`, async () => {
      await expectSameAsNode(
        guest,
        casesFor(
          [...TEXTS, '1😀', 'ab€', '€€', '\ud83d', 'a\ud83d'],
          `const target = new Uint8Array(${size}).fill(0x2e); const result = new TextEncoder().encodeInto($, target); return [result.read, result.written, target]`,
        ),
      );
    });
  }

  test('converts arguments and checks receivers as Node does', async () => {
    await expectSameAsNode(guest, {
      undefined: 'return new TextEncoder().encode(undefined)',
      null: 'return new TextEncoder().encode(null)',
      number: 'return new TextEncoder().encode(1.5)',
      symbol: 'return new TextEncoder().encode(Symbol())',
      encoding: 'return new TextEncoder("latin1").encoding',
      'into a view':
        'const b = new Uint8Array(6).fill(1); const r = new TextEncoder().encodeInto("ab", b.subarray(2, 5)); return [r.read, r.written, b]',
      'into an array': 'return new TextEncoder().encodeInto("a", [])',
      'into a Uint16Array': 'return new TextEncoder().encodeInto("a", new Uint16Array(2))',
      'foreign receiver': 'return TextEncoder.prototype.encode.call({}, "x")',
    });
  });
});

describe('streams of text', () => {
  const through = (stream: string, chunks: string): string =>
    `const t = ${stream}; const w = t.writable.getWriter(); const writing = (async () => { for (const c of ${chunks}) await w.write(c); await w.close() })(); writing.catch(() => 0); const out = []; for await (const c of t.readable) out.push(c); await writing; return out`;
  test('decode and encode chunk by chunk as Node does', async () => {
    await expectSameAsNode(guest, {
      'split character': through(
        'new TextDecoderStream()',
        '[Uint8Array.of(0xe2), Uint8Array.of(0x82), Uint8Array.of(0xac, 65)]',
      ),
      'cut short': through('new TextDecoderStream()', '[Uint8Array.of(65, 0xe2)]'),
      'cut short and fatal': through(
        'new TextDecoderStream("utf-8", { fatal: true })',
        '[Uint8Array.of(65, 0xe2)]',
      ),
      BOM: through('new TextDecoderStream()', '[Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 65)]'),
      'kept BOM': through(
        'new TextDecoderStream("utf-8", { ignoreBOM: true })',
        '[Uint8Array.of(0xef, 0xbb, 0xbf, 65)]',
      ),
      'not bytes': through('new TextDecoderStream()', '["x"]'),
      buffers: through(
        'new TextDecoderStream("utf-16le")',
        '[Uint8Array.of(65, 0, 66).buffer, new DataView(Uint8Array.of(0).buffer)]',
      ),
      attributes:
        'const t = new TextDecoderStream("latin1", { fatal: true }); return [t.encoding, t.fatal, t.ignoreBOM, t.readable instanceof ReadableStream, t.writable instanceof WritableStream]',
      encode: through('new TextEncoderStream()', '["a", "ä", "", "€"]'),
      'split surrogates': through('new TextEncoderStream()', '["a\\ud83d", "\\ude00b", "\\ud83d"]'),
      'lone surrogates': through('new TextEncoderStream()', '["\\ud83d", "x", "\\ude00"]'),
      numbers: through('new TextEncoderStream()', '[1, null, undefined]'),
      'encoder attributes':
        'const t = new TextEncoderStream(); return [t.encoding, t.readable instanceof ReadableStream]',
    });
  });
});

describe('base64', () => {
  const INPUTS = [
    '',
    'YQ==',
    'YWI=',
    'YWJj',
    'YQ',
    'YWI',
    'Y',
    'YQ=',
    'YQ===',
    '=',
    '==',
    '====',
    'Y=Q=',
    ' Y Q = = ',
    'YQ=\n=',
    'YR==',
    'ab\u000bcd',
    'ab-_',
    'abcd=',
    'abcde',
    'ä',
    '\u0000',
    '////',
    '++++',
    'null',
    'a b\tc\nd\f\r',
  ];
  test('atob decodes as Node does', async () => {
    await expectSameAsNode(guest, casesFor([...INPUTS, 'null', 'undefined', '12', 'NaN'], 'return atob($)'));
  });

  test('btoa encodes as Node does', async () => {
    await expectSameAsNode(
      guest,
      casesFor(['', 'a', 'ab', 'abc', 'ÿ', 'Ā', '\u0000\u0001', '😀', 'x'.repeat(100)], 'return btoa($)'),
    );
  });

  test('values that are no strings are converted', async () => {
    await expectSameAsNode(guest, {
      'atob null': 'return atob(null)',
      'atob undefined': 'return atob(undefined)',
      'atob of nothing': 'return atob()',
      'btoa null': 'return btoa(null)',
      'btoa of nothing': 'return btoa()',
      'atob error': 'try { atob("!") } catch (e) { return [e instanceof DOMException, e.name, e.code] }',
      'btoa error': 'try { btoa("€") } catch (e) { return [e instanceof DOMException, e.name, e.code] }',
      'all bytes':
        'const s = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join(""); return atob(btoa(s)) === s',
    });
  });
});
