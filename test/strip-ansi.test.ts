import { expect, it } from 'vitest';
import { stripAnsi } from '../core/strip-ansi.ts';

it.each([
  ['a colour', 'a\u001b[31mb\u001b[0mc', 'abc'],
  ['a colour of 24 bits', '\u001b[38;2;1;2;3mabc', 'abc'],
  ['a screen that is cleared', 'a\u001b[2J\u001b[Hbc', 'abc'],
  ['a private mode', 'a\u001b[?25lbc', 'abc'],
  ['the 8-bit form', 'a\u009b31mbc', 'abc'],
  ['a title', '\u001b]0;mine\u0007abc', 'abc'],
  ['a link', '\u001b]8;;https://a.example/\u001b\\abc\u001b]8;;\u001b\\', 'abc'],
  ['a device string', 'a\u001bPq#0\u001b\\bc', 'abc'],
  ['a character set', 'a\u001b(Bbc', 'abc'],
  ['one that another one was hidden in', 'a\u001b\u001b]0;x\u0007[31mbc', 'abc'],
])('takes %s out whole', (_what, text, plain) => {
  expect(stripAnsi(text)).toBe(plain);
});

it.each([
  ['brackets without ESC', 'a[31m] b'],
  ['an ESC that begins nothing', 'a\u001b'],
  ['a string without an end, and the text behind it', 'a\u001b]0;title and text'],
  ['lines, tabs and signs of every script', 'a\n\tb 漢字 🙂'],
])('leaves %s', (_what, text) => {
  expect(stripAnsi(text)).toBe(text);
});

it.each(['\u001b[', '\u009d', '\u001b]', '\u001b[0', '\u001b ', '\u001b]\u001b['])(
  'takes time by the length alone of many %j',
  (part) => {
    const took = (times: number) => {
      const began = performance.now();
      stripAnsi(part.repeat(times));
      return performance.now() - began;
    };
    took(10_000);
    // By the square this would be an hour.
    expect(took(1_000_000)).toBeLessThan(5_000);
  },
);
