import { describe, expect, it } from 'vitest';
import { parseNetRule } from '../../../core/permissions/net/pattern.ts';

function rule(text: string) {
  const result = parseNetRule(text);
  if (!result.ok) throw new Error(`${text}: ${result.message}`);
  return result.rule;
}

const PATTERNS = [
  'https://a.com',
  'https://a.com/*',
  'https://A.com/x',
  'https://*.a.com/*',
  'https://{*.}?a.com/*',
  'http{s}?://a.com/*',
  'http://localhost:*',
  'http://127.0.0.1:8080/*',
  'https://a.com/:owner/:repo/issues/*',
  'https://a.com/v{1}?/x',
  'https://a.com/é%20x/*',
  'https://例え.jp/*',
  'https://a.com/x?k=*',
  'https://*/*',
  'https://a.com:8443/a/*/b/*/c',
  'https://a.com/\\*/x',
];

const URLS = [
  'https://a.com/',
  'https://a.com/x',
  'https://a.com/x?k=1',
  'https://a.com/x?j=1&k=1',
  'https://a.com./x',
  'https://a.com:8443/a/1/b/2/3/c',
  'https://a.com:8443/a/1/c',
  'https://b.a.com/x',
  'https://evil.com/.a.com/x',
  'https://evila.com/x',
  'https://a.com.evil.org/x',
  'http://a.com/x',
  'http://localhost/x',
  'http://localhost:99/x',
  'http://127.0.0.1:8080/x#h',
  'http://127.0.0.1:8081/x',
  'https://a.com/o/r/issues/1/2',
  'https://a.com/o//issues/1',
  'https://a.com/v/x',
  'https://a.com/v1/x',
  'https://a.com/v1/../v2/x',
  'https://a.com/é x/1',
  'https://例え.jp/1',
  'https://a.com/*/x',
];

describe('net rules', () => {
  it.each(PATTERNS)('match as URLPattern does: %s', (pattern) => {
    const ours = rule(pattern);
    const standard = new URLPattern(pattern);
    for (const url of URLS)
      expect([url, ours.matches('GET', new URL(url))]).toEqual([url, standard.test(url)]);
  });

  it('match as URLPattern does, for random patterns and URLs', () => {
    let seed = 7;
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return list[seed % list.length] as T;
    };
    const pieces = ['a', 'b', '/', '*', ':x', '{a}?', '-', '/'];
    for (let round = 0; round < 2000; round += 1) {
      const path = Array.from({ length: 1 + (round % 7) }, () => pick(pieces)).join('');
      const text = `https://h.com/${path
        .replace(/\*{2,}/g, '*')
        .replace(/(:x)+/g, ':x')
        .replace(/:x(?=[ab])/g, ':x-')}`;
      const parsed = parseNetRule(text);
      if (!parsed.ok) continue;
      let standard: URLPattern;
      try {
        standard = new URLPattern(text);
      } catch {
        continue;
      }
      const url = `https://h.com/${Array.from({ length: 1 + (round % 9) }, () => pick(['a', 'b', '/', '-'])).join('')}`;
      expect([text, url, parsed.rule.matches('GET', new URL(url))]).toEqual([text, url, standard.test(url)]);
    }
  });

  it('allow the methods that they name, and every method when they name none', () => {
    const url = new URL('https://a.com/x');
    expect(rule('get,POST https://a.com/*').matches('GET', url)).toBe(true);
    expect(rule('GET|POST https://a.com/*').matches('DELETE', url)).toBe(false);
    expect(rule('https://a.com/*').matches('DELETE', url)).toBe(true);
  });

  it('can name an IPv6 address as a URL writes it', () => {
    const named = rule('http://[::1]:8080/*');
    expect(named.matches('GET', new URL('http://[0:0:0:0:0:0:0:1]:8080/x'))).toBe(true);
    expect(named.literalHost).toBe('[::1]');
  });

  it('read ** as *', () => {
    expect(rule('https://a.com/**').matches('GET', new URL('https://a.com/x/y'))).toBe(true);
  });

  it('match a hostile URL against a hostile pattern in linear time', () => {
    const slow = rule(`https://a.com/${'*a'.repeat(14)}*b`);
    const started = process.cpuUsage();
    expect(slow.matches('GET', new URL(`https://a.com/${'a'.repeat(8_000)}`))).toBe(false);
    // A backtracking matcher would need some 10^30 steps.
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
  });
});
