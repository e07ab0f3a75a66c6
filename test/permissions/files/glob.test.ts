import { describe, expect, it } from 'vitest';
import { parseFileRule } from '../../../core/permissions/files/glob.ts';

function bound(text: string) {
  const result = parseFileRule(text);
  if (!result.ok) throw new Error(result.message);
  return result.rule.bind('/base');
}

describe('file rules', () => {
  it.each<[string, string, boolean]>([
    ['./data/**', '/base/data', true],
    ['./data/**', '/base/data/a/.b', true],
    ['./data/**', '/base/database', false],
    ['./data/', '/base/data/a', true],
    ['./data/', '/base/data', true],
    ['./data', '/base/data', true],
    ['./data', '/base/data/a', false],
    ['data/*.txt', '/base/data/a.txt', true],
    ['data/*.txt', '/base/data/b/a.txt', false],
    ['data/**/*.txt', '/base/data/a.txt', true],
    ['data/**/*.txt', '/base/data/b/c/a.txt', true],
    ['data/**/*.txt', '/base/data/b/c/a.txt.exe', false],
    ['data/?', '/base/data/a', true],
    ['data/?', '/base/data/', false],
    ['**', '/base', true],
    ['**', '/base/x/y', true],
    ['**', '/basement', false],
    ['.', '/base', true],
    ['/srv/x/**', '/srv/x/y', true],
    ['/srv/x/**', '/base/srv/x/y', false],
    ['/**', '/etc/passwd', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(bound(pattern).matches(path)).toBe(expected);
  });

  it('know which directories lead to a match and which are covered whole', () => {
    const text = bound('docs/**/*.md');
    expect(text.canContinue('/base/docs/')).toBe(true);
    expect(text.canContinue('/base/')).toBe(true);
    expect(text.canContinue('/base/other/')).toBe(false);
    expect(text.coversAll('/base/docs/')).toBe(false);
    expect(bound('docs/**').coversAll('/base/docs/a/')).toBe(true);
  });

  it.each(['../x', 'a/../b', 'a\\b', '~/x', 'a/b**', '', '[a]', '{a,b}'])('refuse %j', (pattern) => {
    expect(parseFileRule(pattern).ok).toBe(false);
  });
});
