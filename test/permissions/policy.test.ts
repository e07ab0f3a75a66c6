import { describe, expect, it } from 'vitest';
import { describePermissions } from '../../core/permissions/describe.ts';
import { grantLine, leastGrant } from '../../core/permissions/grant.ts';
import { parseNetRule } from '../../core/permissions/net/pattern.ts';
import { environmentFor, resolvePolicy } from '../../core/permissions/policy.ts';
import type { PermissionRequest } from '../../core/plugin/manifest.ts';

function policyOf(request: PermissionRequest, grant: PermissionRequest | 'as_requested') {
  const result = resolvePolicy(request, grant);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.policy;
}

/** `NAME` as a template names it. */
function reference(name: string): string {
  return ['$', '{', name, '}'].join('');
}

const weather = {
  WEATHER_KEY: {
    header: 'Authorization',
    value: `Bearer ${reference('WEATHER_KEY')}`,
    for: 'https://api.weather.gov',
  },
};

describe('policy', () => {
  it('allows nothing by default', () => {
    const policy = policyOf({}, {});
    expect(policy.net.granted).toEqual([]);
    expect(policy.env).toEqual([]);
    expect(policy.storageBytes).toBe(0);
  });

  it('grants nothing that was not asked for, and nothing that was only asked for', () => {
    const policy = policyOf({ env: ['TZ', 'LANG'], storage: '2MB' }, { env: ['TZ', 'HOME'], storage: '1MB' });
    expect(policy.env).toEqual(['TZ']);
    expect(policy.storageBytes).toBe(1024 * 1024);
  });

  it('keeps a secret only when header, template and origin are granted as asked', () => {
    expect(Object.keys(policyOf({ secrets: weather }, { secrets: weather }).secrets)).toEqual([
      'WEATHER_KEY',
    ]);
    const elsewhere = { WEATHER_KEY: { ...weather.WEATHER_KEY, for: 'https://evil.example' } };
    expect(Object.keys(policyOf({ secrets: elsewhere }, { secrets: weather }).secrets)).toEqual([]);
  });

  it('keeps a secret out of the environment even when both name it', () => {
    const policy = policyOf({ env: ['WEATHER_KEY', 'TZ'], secrets: weather }, 'as_requested');
    expect({ ...environmentFor(policy, { WEATHER_KEY: 'x', TZ: 'UTC', HOME: '/root' }) }).toEqual({
      TZ: 'UTC',
    });
  });

  it.each<[unknown, string]>([
    [{ net: 'https://a.com/*' }, '/net'],
    [{ net: ['https://a.com/*', 7] }, '/net/1'],
    [{ net: ['https://a.com*'] }, '/net/0'],
    [{ net: ['https://a.com/(.*)+'] }, '/net/0'],
    [{ net: ['ftp://a.com/*'] }, '/net/0'],
    [{ net: ['CONNECT https://a.com/*'] }, '/net/0'],
    [{ net: ['https://user:pass@a.com/*'] }, '/net/0'],
    [{ read: ['../secrets/**'] }, '/read/0'],
    [{ read: ['./a\\b'] }, '/read/0'],
    [{ write: ['./a\u0000b'] }, '/write/0'],
    [{ env: ['*'] }, '/env/0'],
    [
      { secrets: { K: { header: 'X', value: reference('OTHER'), for: 'https://a.com' } } },
      '/secrets/K/value',
    ],
    [{ secrets: { K: { header: 'X', value: reference('K'), for: 'https://a.com/path' } } }, '/secrets/K/for'],
    [{ storage: 'lots' }, '/storage'],
    [{ network: [] }, '/network'],
    [[], ''],
  ])('answers a wrong shape with its path: %j', (request, path) => {
    // The type is what a config file would get wrong.
    const result = resolvePolicy(request as PermissionRequest, {});
    expect(result).toMatchObject({ ok: false, problems: [{ path, in: 'request' }] });
  });

  it('says what form a size has', () => {
    expect(resolvePolicy({ storage: '1 megabyte' }, {})).toMatchObject({
      problems: [{ message: 'must be a size above 0, such as "1 MB", "64 KB" or "512" (bytes)' }],
    });
  });

  it('names the line of the config that would allow a target', () => {
    expect(grantLine('weather', 'net', 'GET https://api.weather.gov/points/1,2?x=1')).toBe(
      '"weather": { "net": ["GET https://api.weather.gov/points/1,2"] }',
    );
  });

  it('derives a grant that allows its target and no wildcard of the target’s', () => {
    const [text] = leastGrant('net', 'GET https://a.com/*/:id?x=1') as string[];
    const rule = parseNetRule(text ?? '');
    if (!rule.ok) throw new Error(rule.message);
    expect(rule.rule.matches('GET', new URL('https://a.com/*/:id?x=1'))).toBe(true);
    expect(rule.rule.matches('GET', new URL('https://a.com/other/:id'))).toBe(false);
  });

  it('says in plain words what a plugin asks for, in both languages', () => {
    const request = { net: ['GET https://*/*'], secrets: weather, storage: '1MB', read: ['./a\u001b[2J'] };
    const [net, read, secret, storage] = describePermissions(request);
    expect(net).toBe('Send GET requests to any host on the internet');
    expect(read).toBe('Read files: ./a\\u{1b}[2J');
    expect(secret).toContain('never sees the value');
    expect(storage).toBe('Keep up to 1 MB of its own data');
    expect(describePermissions(request, 'zh')[0]).toBe('向 互联网上的任意主机 发送 GET 请求');
    expect(describePermissions({})).toHaveLength(1);
  });
});
