import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lock, openLock } from '../../core/permissions/lock.ts';
import type { LockSubject } from '../../core/permissions/lock-entry.ts';
import type { Manifest } from '../../core/plugin/manifest.ts';
import { reference } from './guest.ts';

let dir: string;
let path: string;
let lock: Lock;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(dir, 'registry.lock.json');
  lock = openLock(path);
});

afterEach(() => rm(dir, { recursive: true, force: true }));

const manifest: Manifest = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string', maxLength: 10 } } },
  examples: [],
  annotations: { destructive: true },
  permissions: { net: ['GET https://api.weather.gov/*'] },
  limits: {},
  state: 'fresh',
  approval: 'always',
  tags: [],
};
const digests = { code: '1'.repeat(64), schema: '2'.repeat(64) };
const subject: LockSubject = { manifest, digests };

function changed(change: Partial<Manifest>): LockSubject {
  return { ...subject, manifest: { ...manifest, ...change } };
}

async function held(next: LockSubject) {
  const admission = await lock.admit(next);
  if (admission.kind !== 'held') throw new Error('it was admitted');
  return admission;
}

describe('the lock', () => {
  it('admits nothing that nobody consented to', async () => {
    expect(await held(subject)).toMatchObject({ reason: 'unknown' });
    expect(await lock.accept(subject)).toEqual({ ok: true });
    expect(await lock.admit(subject)).toEqual({ kind: 'admitted' });
    expect(await openLock(path).admit(subject)).toEqual({ kind: 'admitted' });
    await lock.remove('weather');
    expect(await held(subject)).toMatchObject({ reason: 'unknown' });
  });

  it.each<[string, LockSubject]>([
    ['code', { ...subject, digests: { ...digests, code: '3'.repeat(64) } }],
    ['description', changed({ description: 'Tells the weather!' })],
    ['description', changed({ title: 'W' })],
    ['schema', { ...subject, digests: { ...digests, schema: '4'.repeat(64) } }],
    ['schema', changed({ parameters: { ...manifest.parameters, required: ['city'] } })],
    ['schema', changed({ examples: [{ arguments: {} }] })],
    ['schema', changed({ state: 'session' })],
    ['permissions', changed({ permissions: { net: ['GET https://api.weather.gov/'] } })],
  ])('holds a version back that differs by one byte in its %s', async (part, next) => {
    await lock.accept(subject);
    const admission = await held(next);
    expect(admission.reason).toBe('changed');
    expect(admission.diff?.changes.map((change) => change.part)).toEqual([part]);
    expect(admission.text).toContain('glovebox grant weather --keep');
    expect(await lock.admit(subject)).toEqual({ kind: 'admitted' });
  });

  it('speaks of no grants where nothing is asked for, as of a tool of an MCP server', async () => {
    await lock.accept(subject);
    const { text } = await held(changed({ permissions: {} }));
    expect(text).toContain('and accept it: glovebox grant weather\n');
    expect(text).not.toContain('--keep');
  });

  it('admits what differs in the order of keys alone', async () => {
    await lock.accept(subject);
    const { type, properties } = manifest.parameters;
    expect(await lock.admit(changed({ parameters: { properties, type } }))).toEqual({ kind: 'admitted' });
  });

  it('says what changed and what it asks for beyond what it had', async () => {
    await lock.accept(subject);
    const admission = await held(
      changed({
        description: 'Tells all.\u001b[2J',
        parameters: { type: 'object', properties: { city: { type: 'string', maxLength: 99 } } },
        permissions: {
          net: ['GET https://api.weather.gov/*', 'POST https://evil.example/*'],
          storage: '1MB',
        },
        annotations: {},
        approval: 'never',
      }),
    );
    expect(admission.diff?.widened).toEqual([
      'Send POST requests to https://evil.example/*',
      'Keep up to 1 MB of its own data',
      'annotations.destructive: no longer',
      'approval: always -> never',
    ]);
    expect(admission.text).toContain('! Send POST requests to https://evil.example/*');
    expect(admission.text).toContain('- Tells the weather.');
    expect(admission.text).toContain('+ Tells all.\\u{1b}[2J');
    expect(admission.text).toContain('~ /parameters/properties/city/maxLength: 10 -> 99');
    expect(admission.text).toContain('glovebox grant weather');
  });

  it('calls a new template of a secret a widening', async () => {
    const secrets = (value: string) => ({ KEY: { header: 'x', value, for: 'https://a.example' } });
    await lock.accept(changed({ permissions: { secrets: secrets(reference('KEY')) } }));
    const admission = await held(changed({ permissions: { secrets: secrets(`x${reference('KEY')}`) } }));
    expect(admission.diff?.widened).toHaveLength(1);
  });

  it.each<[string, (text: string) => string]>([
    ['is empty', () => ''],
    ['is cut', (text) => text.slice(0, -20)],
    ['is of a later version', (text) => text.replace('"lockVersion": 1', '"lockVersion": 2')],
    ['lost a hash', (text) => text.replace('"code"', '"cod"')],
    ['had its permissions edited', (text) => text.replace('GET https://api', '* https://api')],
    ['is no object', () => '[]'],
  ])('admits nothing and changes nothing when its file %s', async (_name, damage) => {
    await lock.accept(subject);
    const damaged = damage(await readFile(path, 'utf8'));
    await writeFile(path, damaged);
    expect(await held(subject)).toMatchObject({ reason: 'damaged' });
    expect(await lock.accept(subject)).toMatchObject({ ok: false });
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });

  it('loses no consent when many are given at once, and leaves no temporary file', async () => {
    const many = Array.from({ length: 20 }, (_, index) => changed({ name: `tool${index}` }));
    await Promise.all(many.map((one) => lock.accept(one)));
    for (const one of many) expect(await lock.admit(one)).toEqual({ kind: 'admitted' });
    expect(await readdir(dir)).toEqual(['registry.lock.json']);
  });

  it('is not confused by a plugin of the name __proto__', async () => {
    expect(await held(changed({ name: '__proto__' }))).toMatchObject({ reason: 'unknown' });
    await lock.accept(changed({ name: '__proto__' }));
    expect(await lock.admit(changed({ name: '__proto__' }))).toEqual({ kind: 'admitted' });
    expect(await held(changed({ name: 'constructor' }))).toMatchObject({ reason: 'unknown' });
  });
});
