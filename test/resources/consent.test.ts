import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/config/index.ts';
import type { Host } from '../../core/index.ts';
import { openLock } from '../../core/permissions/index.ts';
import { loadVersion } from '../../core/plugin/load-version.ts';
import { openPlace, type Place, until } from './place.ts';

const STRANGERS = (grants: Record<string, object> = {}) => ({
  plugins: [{ dir: './plugins', trust: 'granted' as const, grants }],
});

const FILES = {
  'guide/resource.json': { uri: 'docs://guide', description: 'A guide.', file: 'guide.md' },
  'guide/guide.md': 'one',
  'code/resource.json': {
    uri: 'docs://code',
    description: 'Reads.',
    permissions: { env: ['GLOVEBOX_TEST_SHOWN'] },
  },
  'code/index.js': 'export default () => String(process.env.GLOVEBOX_TEST_SHOWN);',
  'hello/prompt.md': 'Hello one',
};

async function consent(place: Place, name: string): Promise<void> {
  const loaded = await loadVersion({
    dir: path.join(place.dir, 'plugins', name),
    defaultName: name,
    trust: 'granted',
    limitsOf: () => DEFAULT_LIMITS,
    probe: () => Promise.resolve({ ok: true }),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const lock = openLock(path.join(place.dir, 'registry.lock.json'));
  expect(await lock.accept(loaded.plugin)).toEqual({ ok: true });
}

async function read(host: Host, uri: string): Promise<unknown> {
  const result = await host.resources.read(uri);
  return result.ok
    ? result.contents.map((piece) => ('text' in piece ? piece.text : '')).join()
    : result.error.code;
}

async function hello(host: Host): Promise<unknown> {
  const result = await host.prompts.get('hello');
  return result.ok ? result.messages[0]?.content.text : result.error.code;
}

describe("a stranger's resource or prompt", () => {
  it('is held until somebody consents, and again when a byte of it changes, while the old one serves', async () => {
    await using place = await openPlace(FILES);
    await using host = await place.open({ watch: true }, STRANGERS());
    const stateOf = (name: string, kind: 'resource' | 'prompt') => host.catalog.get(name, kind);
    expect(stateOf('guide', 'resource')).toMatchObject({
      state: 'held',
      problems: [{ message: expect.stringContaining('glovebox grant resource:guide') }],
    });
    expect(await read(host, 'docs://guide')).toBe('unknown_resource');
    expect(await hello(host)).toBe('plugin_unavailable');
    for (const name of ['guide', 'code', 'hello']) await consent(place, name);
    await until(() => host.catalog.list().every(({ state }) => state === 'ready'));
    expect([await read(host, 'docs://guide'), await hello(host)]).toEqual(['one', 'Hello one']);
    await place.write({ 'guide/guide.md': 'two', 'hello/prompt.md': 'Hello two' });
    await until(
      () => stateOf('guide', 'resource')?.state === 'held' && stateOf('hello', 'prompt')?.state === 'held',
    );
    expect(stateOf('hello', 'prompt')?.problems[0]?.message).toContain(
      'has changed since it was consented to',
    );
    expect([await read(host, 'docs://guide'), await hello(host)]).toEqual(['one', 'Hello one']);
    await consent(place, 'guide');
    await consent(place, 'hello');
    await until(
      async () => (await read(host, 'docs://guide')) === 'two' && (await hello(host)) === 'Hello two',
    );
  });

  it('gets what is granted under its own id, and nothing that a tool of its name was granted', async () => {
    await using place = await openPlace(FILES);
    await consent(place, 'code');
    process.env.GLOVEBOX_TEST_SHOWN = 'shown';
    try {
      const grant = { env: ['GLOVEBOX_TEST_SHOWN'] };
      await using named = await place.open({}, STRANGERS({ code: grant }));
      expect(await read(named, 'docs://code')).toBe('undefined');
      await using granted = await place.open({}, STRANGERS({ 'resource:code': grant }));
      expect(await read(granted, 'docs://code')).toBe('shown');
    } finally {
      delete process.env.GLOVEBOX_TEST_SHOWN;
    }
  });

  it('takes neither the address of a trusted resource nor, as a tool, the id of one', async () => {
    const answer = (text: string) => `export default () => ${JSON.stringify(text)};`;
    const docs = { uri: 'docs://guide', description: 'A guide.' };
    await using place = await openPlace({
      'theirs/resource.json': docs,
      'theirs/index.js': answer('theirs'),
      'posing/schema.json': { name: 'resource:ours', description: 'Poses.', parameters: { type: 'object' } },
      'posing/index.js': answer('posing'),
      '../ours/ours/resource.json': docs,
      '../ours/ours/index.js': answer('ours'),
    });
    await consent(place, 'theirs');
    await consent(place, 'posing');
    const { plugins } = STRANGERS();
    await using host = await place.open({}, { plugins: [...plugins, './ours'] });
    expect(await read(host, 'docs://guide')).toBe('ours');
    expect(host.resources.list().map(({ name }) => name)).toEqual(['ours']);
    expect(host.catalog.get('resource:ours')).toMatchObject({ kind: 'tool', state: 'broken' });
  });
});

describe('what a trusted template serves', () => {
  it("is not taken away by a stranger's address, however exact", async () => {
    const answering = (text: string) => `export default () => ${JSON.stringify(text)};`;
    await using place = await openPlace({
      'own/notes/resource.json': { uriTemplate: 'notes://{+path}', description: 'Mine.' },
      'own/notes/index.js': answering('mine'),
      'theirs/exact/resource.json': { name: 'exact', uri: 'notes://bank', description: 'x', file: 'a.md' },
      'theirs/exact/a.md': 'theirs',
      'theirs/longer/resource.json': { name: 'longer', uriTemplate: 'notes://bank/{id}', description: 'x' },
      'theirs/longer/index.js': answering('theirs'),
      'theirs/apart/resource.json': { name: 'apart', uri: 'other://bank', description: 'x', file: 'a.md' },
      'theirs/apart/a.md': 'apart',
    });
    for (const name of ['theirs/exact', 'theirs/longer', 'theirs/apart']) await consent(place, name);
    const plugins = ['declared', 'granted'] as const;
    await using host = await place.open(
      {},
      {
        plugins: plugins.map((trust) => ({
          dir: trust === 'declared' ? './plugins/own' : './plugins/theirs',
          trust,
        })),
      },
    );
    expect(await read(host, 'notes://bank')).toBe('mine');
    expect(await read(host, 'notes://bank/1')).toBe('mine');
    expect(await read(host, 'other://bank')).toBe('apart');
  });
});
