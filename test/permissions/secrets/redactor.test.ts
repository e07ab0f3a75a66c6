import { describe, expect, it } from 'vitest';
import { createRedactor, REDACTED } from '../../../core/permissions/secrets/redactor.ts';

const SECRET = 'sk_live+A/b="q\\ü 9?z&<x>';
const redactor = createRedactor([SECRET]);

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const every = (text: string, write: (code: number) => string) =>
  [...Buffer.from(text)].map((byte) => write(byte)).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');

const FORMS: readonly (readonly [string, string])[] = [
  ['raw', SECRET],
  ['encodeURIComponent', encodeURIComponent(SECRET)],
  [
    'encodeURIComponent in lower case',
    encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['encodeURI', encodeURI(SECRET)],
  ['a form', new URLSearchParams({ k: SECRET }).toString()],
  ['encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['percent codes throughout', every(SECRET, (code) => `%${hex(code)}`)],
  ['JSON', json(SECRET)],
  ['JSON in JSON', json(json(SECRET))],
  ['JSON with escaped slashes', json(SECRET).replaceAll('/', '\\/')],
  ['JSON in ASCII', json(SECRET).replaceAll('ü', '\\u00fc')],
  [
    'JSON of the careful kind',
    json(SECRET).replaceAll('<', '\\u003c').replaceAll('>', '\\u003E').replaceAll('&', '\\u0026'),
  ],
  [
    'HTML',
    SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['hex', Buffer.from(SECRET).toString('hex')],
  ['HEX', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['hex with colons', every(SECRET, (code) => `:${hex(code)}`).slice(1)],
];

describe('the redactor', () => {
  it.each(FORMS)('finds a secret in the form %s', (_name, form) => {
    const clean = redactor.text(`before ${form} after`);
    expect(clean).toContain(REDACTED);
    expect(clean).toMatch(/^before .*after$/);
    expect(clean).not.toContain(form.slice(2, -2));
    expect(clean).not.toContain('live');
  });

  it.each([0, 1, 2])('finds base64 and base64url with %i bytes before it', (before) => {
    for (const after of ['', 'x', 'xyz', 'xyzw']) {
      const whole = Buffer.from(`${'u'.repeat(before)}${SECRET}${after}`);
      for (const encoding of ['base64', 'base64url'] as const) {
        const clean = redactor.text(`[${whole.toString(encoding)}]`);
        expect(clean).toContain(REDACTED);
        // What is left at the edges can't spell more than one byte of it.
        const rest = Buffer.from(clean.replace(/[[\]]|redacted/g, ''), encoding).toString('latin1');
        expect(rest).not.toContain(SECRET.slice(2, 6));
        expect(clean.length).toBeLessThan(2 + REDACTED.length + 16);
      }
    }
  });

  it('finds base64 in lines of 76 and base64 in a URL', () => {
    const long = 'k'.repeat(90).replace(/k/g, (_match, at: number) => String.fromCharCode(65 + (at % 26)));
    const lines = base64(long).replace(/(.{76})/g, '$1\r\n');
    expect(createRedactor([long]).text(lines)).toBe(`${REDACTED}`);
    expect(redactor.text(encodeURIComponent(base64(SECRET)))).toContain(REDACTED);
  });

  it('finds a secret in a stream wherever it is cut', () => {
    for (const [, form] of FORMS) {
      const bytes = Buffer.from(`a ${form} z`);
      for (let cut = 1; cut < bytes.length; cut += 1) {
        const stream = redactor.stream();
        const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()];
        expect(Buffer.concat(parts).toString('utf8')).toBe(redactor.text(bytes.toString('utf8')));
      }
    }
  });

  it('finds a secret that comes byte by byte and lets the rest through at once', () => {
    const stream = redactor.stream();
    let seen = '';
    for (const byte of Buffer.from(`x${SECRET}y`)) seen += Buffer.from(stream.push(Uint8Array.of(byte)));
    expect(seen).toBe(`x${REDACTED}y`);
    expect(Buffer.from(stream.push(Buffer.from('data: 1\n\n'))).toString()).toBe('data: 1\n\n');
  });

  it('gives back what looked like the start of a secret and was none', () => {
    const stream = redactor.stream();
    expect(Buffer.from(stream.push(Buffer.from(SECRET.slice(0, 6)))).toString()).toBe('');
    expect(Buffer.from(stream.end()).toString()).toBe(SECRET.slice(0, 6));
  });

  it('leaves everything else alone, bytes that are no text included', () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const stream = redactor.stream();
    expect(Buffer.concat([stream.push(bytes), stream.end()])).toEqual(bytes);
    expect(redactor.text('naïve 文本 🎉')).toBe('naïve 文本 🎉');
    expect(createRedactor(['']).empty).toBe(true);
  });

  it('takes the longer of two secrets when one begins with the other', () => {
    expect(createRedactor(['token', 'token-with-more']).text('=token-with-more;token;')).toBe(
      `=${REDACTED};${REDACTED};`,
    );
  });

  it('redacts keys and texts anywhere in a JSON value', () => {
    expect(redactor.json({ a: [SECRET, 1, null], [SECRET]: { b: true } })).toEqual({
      a: [REDACTED, 1, null],
      [REDACTED]: { b: true },
    });
  });

  it('stays linear on text that begins like the secret again and again', () => {
    const hostile = createRedactor([`${'%'.repeat(30)}end`]);
    const started = process.cpuUsage();
    hostile.text('%25'.repeat(30_000));
    hostile.text('%'.repeat(100_000));
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(10);
  });
});
