import { describe, expect, it } from 'vitest';
import { readUriTemplate, type UriVariables } from '../../core/resources/uri-template.ts';

function match(template: string, uri: string): UriVariables | undefined {
  const read = readUriTemplate(template);
  if (!read.ok) throw new Error(read.message);
  return read.template.match(uri);
}

describe('a URI template, read backwards', () => {
  it.each<[template: string, uri: string, variables: UriVariables | undefined]>([
    ['notes://{id}', 'notes://7', { id: '7' }],
    ['notes://{id}', 'notes://', undefined],
    ['notes://{id}', 'notes://a/b', undefined],
    ['notes://{id}', 'notes://a%2Fb', { id: 'a/b' }],
    ['notes://{id}', 'notes://S%C3%A3o%20Paulo', { id: 'São Paulo' }],
    ['notes://{id}', 'notes://%E0%A4%A', undefined],
    ['notes://{id}', 'other://7', undefined],
    ['notes://{id}', 'xnotes://7', undefined],
    ['notes://{id}/', 'notes://7', undefined],
    ['files://{+path}', 'files://a/b/c.txt', { path: 'a/b/c.txt' }],
    ['x://{a}/{b}', 'x://1/2', { a: '1', b: '2' }],
    ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
    ['x://{list*}', 'x://1,2,3', { list: ['1', '2', '3'] }],
    ['x://f{/path*}', 'x://f/a/b', { path: ['a', 'b'] }],
    ['x://f{/path*}', 'x://f', {}],
    ['x://f{.ext}', 'x://f.txt', { ext: 'txt' }],
    ['x://f{#part}', 'x://f#top', { part: 'top' }],
    ['x://p{;a,b}', 'x://p;b=2', { b: '2' }],
    ['x://s{?q,lang}', 'x://s?lang=en&q=a%20b', { lang: 'en', q: 'a b' }],
    ['x://s{?q,lang}', 'x://s', {}],
    ['x://s{?q}', 'x://s?q=1&q=2', undefined],
    ['x://s{?q}', 'x://s?other=1', undefined],
    ['x://s{?q*}', 'x://s?q=1&q=2', { q: ['1', '2'] }],
    ['x://s?fixed=1{&q}', 'x://s?fixed=1&q=2', { q: '2' }],
    ['x://{code:3}', 'x://abc', { code: 'abc' }],
    ['x://{code:3}', 'x://abcd', undefined],
    ['x://a.b/{id}', 'x://aXb/1', undefined],
  ])('%s and %s give %j', (template, uri, variables) => {
    expect(match(template, uri)).toEqual(variables);
  });

  it.each<[template: string, says: string]>([
    ['{+everything}', 'begin with a scheme'],
    ['notes://', 'no {variable}'],
    ['notes://{id', 'brace'],
    ['notes://{}', 'no variable name'],
    ['notes://{a b}', 'character'],
    ['notes://{uri}', 'rename it'],
    ['notes://{a}/{a}', 'twice'],
    ['notes://{;a*}', "can't have a list"],
    [`notes://{${'a'.repeat(3_000)}}`, 'longer than'],
  ])('refuses %s', (template, says) => {
    expect(readUriTemplate(template)).toMatchObject({ ok: false, message: expect.stringContaining(says) });
  });

  it('takes a variable called __proto__ for a name like any other', () => {
    const found = match('x://{__proto__}', 'x://1');
    expect(Object.keys(found ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  it('answers a template and a URI that would make a backtracking matcher try for ever', () => {
    const names = Array.from({ length: 32 }, (_value, index) => `{/v${index}*}`);
    expect(match(`x://${names.join('')}`, `x://${'/a'.repeat(4_000)}?`)).toBeUndefined();
    expect(match('x://{id}', `x://${'a'.repeat(100_000)}`)).toBeUndefined();
  });
});
