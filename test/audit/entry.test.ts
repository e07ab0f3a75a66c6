import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuditEntry, createAuditLog, suggestGrants } from '../../core/audit/index.ts';
import type { CapabilityUse } from '../../core/permissions/broker.ts';
import { resolvePolicy } from '../../core/permissions/policy.ts';
import { reference } from '../permissions/guest.ts';
import { entry, record } from './entries.ts';

describe('an entry', () => {
  it('has the shape of the arguments and no value of theirs', () => {
    const made = createAuditEntry(record, { time: new Date(0) });
    expect(made).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      id: 'call_1',
      session: 's',
      chain: ['outer'],
      tool: 'weather',
      version: 'v1',
      origin: 'plugin',
      shape: { city: 'string(4)', days: 'array(2)', deep: { a: { b: { c: 'object(1)' } } } },
      repairs: ['parsed_json_string days'],
      approval: 'approved',
      outcome: 'ok',
      contentChars: 12,
      usage: record.usage,
    });
    expect(JSON.stringify(made)).not.toContain('Bern');
  });

  it('has the arguments where they are asked for, and a bounded raw text where they can not be read', () => {
    expect(createAuditEntry(record, { arguments: true }).arguments).toMatchObject({ city: 'Bern' });
    const raw = { ...record, arguments: `{"city": ${'x'.repeat(20_000)}` };
    expect(createAuditEntry(raw).shape).toBe('unreadable(20009)');
    expect(String(createAuditEntry(raw, { arguments: true }).arguments)).toHaveLength(10_000);
  });

  it('tells a failure by its code and effects', () => {
    const error = { code: 'timeout', message: 'm'.repeat(5_000), outcome: 'unknown' } as const;
    const made = createAuditEntry({ ...record, ok: false, error });
    expect(made).toMatchObject({ outcome: 'timeout', effects: 'unknown' });
    expect(made.message?.length).toBeLessThan(1_100);
  });

  it('has no message that quotes arguments, unless these are asked for', () => {
    const error = { code: 'invalid_arguments', message: 'city: got "Bern"', outcome: 'did_not_run' } as const;
    expect(JSON.stringify(createAuditEntry({ ...record, ok: false, error }))).not.toContain('Bern');
    const asked = createAuditEntry({ ...record, ok: false, error }, { arguments: true });
    expect(asked.message).toContain('Bern');
  });

  it('stays small whatever the arguments are', () => {
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`.repeat(50), n])),
    );
    expect(JSON.stringify(createAuditEntry({ ...record, arguments: wide })).length).toBeLessThan(8_000);
  });
});

describe('suggested grants', () => {
  const use = (capability: CapabilityUse['capability'], target: string, allowed = true): CapabilityUse => ({
    capability,
    target,
    allowed,
    count: 2,
  });

  async function suggest(uses: readonly CapabilityUse[], request = {}) {
    const dir = await mkdtemp(join(tmpdir(), 'suggest-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const path = join(dir, 'audit.jsonl');
    const log = createAuditLog({ path });
    log.write(entry({}, uses));
    log.write(entry({ tool: 'other' }, [use('net', 'GET https://other.example/')]));
    await log.close();
    return suggestGrants('weather', { path, request });
  }

  it('cover what was used and nothing else, and a policy takes them', async () => {
    const secrets = {
      KEY: { header: 'a', value: reference('KEY'), for: 'https://a.example' },
      OTHER: { header: 'a', value: reference('OTHER'), for: 'https://a.example' },
    };
    const uses = [
      use('net', 'GET https://a.example/v1/x'),
      use('net', 'GET https://a.example/v1/:id*'),
      use('net', 'POST https://evil.example/', false),
      use('read', './data/a[1].txt'),
      use('tools', 'math.add'),
      use('env', 'TZ'),
      use('storage', '1MB'),
      use('secrets', 'KEY'),
    ];
    const { grants, refused, calls } = await suggest(uses, { secrets });
    expect(calls).toBe(1);
    expect(grants).toEqual({
      net: ['GET https://a.example/v1/\\:id\\*', 'GET https://a.example/v1/x'],
      read: ['./data/a?1?.txt'],
      tools: ['math.add'],
      env: ['TZ'],
      storage: '1MB',
      secrets: { KEY: secrets.KEY },
    });
    expect(refused).toEqual([{ capability: 'net', target: 'POST https://evil.example/', count: 2 }]);
    expect(resolvePolicy(grants, grants)).toMatchObject({ ok: true });
  });

  it('leave out of what was refused what was granted and used later', async () => {
    const many = Array.from({ length: 21 }, (_, n) => use('net', `GET https://a.example/items/${n}`));
    const { refused } = await suggest([
      use('net', 'GET https://b.example/v1/:id', false),
      use('net', 'GET https://b.example/v1/:id'),
      use('net', 'GET https://b.example/v2', false),
      use('net', 'GET https://a.example/items/99', false),
      use('net', 'POST https://a.example/items/99', false),
      ...many,
      use('storage', '1MB', false),
      use('storage', '512KB'),
      use('tools', '(others)', false),
    ]);
    expect(refused.map(({ target }) => target)).toEqual([
      'GET https://b.example/v2',
      'POST https://a.example/items/99',
      '(others)',
    ]);
  });

  it('take many targets in one place together', async () => {
    const many = Array.from({ length: 21 }, (_, n) => use('net', `GET https://a.example/items/${n}`));
    expect((await suggest([...many, use('net', 'GET https://a.example/other')])).grants).toEqual({
      net: ['GET https://a.example/items/*', 'GET https://a.example/other'],
    });
  });
});
