import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/config/index.ts';
import { createHost, type Host } from '../../core/index.ts';
import { openLock } from '../../core/permissions/index.ts';
import { loadPlugin } from '../../core/plugin/load-plugin.ts';
import { answer, answering, nextUpdate, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

interface Place extends AsyncDisposable {
  readonly dir: string;
  readonly config: string;
  write(code: string, schema?: unknown): Promise<void>;
  /** Consents to what is there now. */
  consent(): Promise<void>;
  grant(grants: unknown): Promise<void>;
  open(watch?: boolean): Promise<Host>;
}

/** A stranger's plugin `it`, and a config that grants it nothing. */
async function strangersPlace(): Promise<Place> {
  const root = await temporaryRoot();
  const config = path.join(root.dir, 'registry.config.json');
  const dir = path.join(root.dir, 'strangers');
  const place: Place = {
    dir: root.dir,
    config,
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
    write: async (code, schema = SCHEMA) => void (await writePlugin(dir, 'it', code, schema)),
    async consent() {
      const loaded = await loadPlugin({
        dir: path.join(dir, 'it'),
        defaultName: 'it',
        trust: 'granted',
        limitsOf: () => DEFAULT_LIMITS,
        probe: () => Promise.resolve({ ok: true }),
      });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      const lock = openLock(path.join(root.dir, 'registry.lock.json'));
      expect(await lock.accept(loaded.plugin)).toEqual({ ok: true });
    },
    grant: (grants) =>
      writeFile(config, JSON.stringify({ plugins: [{ dir: './strangers', trust: 'granted', grants }] })),
    async open(watch = false) {
      const host = await createHost({ config, watch });
      await host.ready;
      return host;
    },
  };
  await place.write(answering('one'));
  await place.grant({});
  return place;
}

describe("a stranger's plugin", () => {
  it('is held until somebody consents to it, and tells the model no more than that', async () => {
    await using place = await strangersPlace();
    await using host = await place.open(true);
    expect(host.catalog.get('it')).toMatchObject({
      state: 'held',
      problems: [{ message: expect.stringContaining('glovebox grant it') }],
    });
    const refused = await host.call({ name: 'it' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'plugin_unavailable' } });
    expect(refused.content).not.toMatch(/grant it|registry\.lock/);
    expect(host.view().names()).not.toContain('it');
    const update = nextUpdate(host, 'it');
    await place.consent();
    expect(await update).toMatchObject({ state: 'ready' });
    expect(await answer(host, 'it')).toBe('one');
  });

  it.each<[what: string, code: string, schema: unknown]>([
    ['code', `${answering('one')} `, SCHEMA],
    ['description', answering('one'), { ...SCHEMA, description: `${SCHEMA.description}!` }],
    ['schema', answering('one'), { ...SCHEMA, parameters: { ...SCHEMA.parameters, required: ['n'] } }],
    ['layout of schema.json', answering('one'), `${JSON.stringify(SCHEMA)} `],
    ['permissions', answering('one'), { ...SCHEMA, permissions: { env: ['A'] } }],
  ])(
    'is held back when one byte of its %s changes, while the old version serves',
    async (_what, code, schema) => {
      await using place = await strangersPlace();
      await place.consent();
      await using host = await place.open(true);
      const before = host.catalog.lookup('it')?.version;
      const update = nextUpdate(host, 'it');
      await place.write(code, schema);
      expect(await update).toMatchObject({ state: 'held', version: before });
      expect(await answer(host, 'it')).toBe('one');
      await using later = await place.open();
      expect(later.catalog.get('it')).toMatchObject({ state: 'held' });
      expect(later.catalog.lookup('it')).toBeUndefined();
    },
  );

  it('shows what an update asks for beyond what was consented to', async () => {
    await using place = await strangersPlace();
    await place.consent();
    await place.write(answering('two'), { ...SCHEMA, permissions: { net: ['GET https://evil.example/*'] } });
    await using host = await place.open();
    const [problem] = host.catalog.get('it')?.problems ?? [];
    expect(problem?.message).toContain('It asks for more:');
    expect(problem?.message).toContain('https://evil.example/');
  });

  it('is out of service once its consent is taken back', async () => {
    await using place = await strangersPlace();
    await place.consent();
    await using host = await place.open(true);
    expect(await answer(host, 'it')).toBe('one');
    const update = nextUpdate(host, 'it');
    await rm(path.join(place.dir, 'registry.lock.json'));
    expect(await update).toMatchObject({ state: 'held' });
    expect(await host.call({ name: 'it' })).toMatchObject({ error: { code: 'plugin_unavailable' } });
  });

  it('is not admitted where the lock is damaged', async () => {
    await using place = await strangersPlace();
    await place.consent();
    const lock = path.join(place.dir, 'registry.lock.json');
    await writeFile(lock, (await readFile(lock, 'utf8')).slice(0, -20));
    await using host = await place.open();
    expect(host.catalog.get('it')).toMatchObject({
      state: 'held',
      problems: [{ message: expect.stringContaining('is damaged') }],
    });
  });

  it('has a grant from the moment that the config says so, and loses it likewise', async () => {
    await using place = await strangersPlace();
    await writeFile(path.join(place.dir, 'a.txt'), 'inside');
    const code =
      "import { readFile } from 'node:fs/promises';\nexport default () => readFile('./a.txt', 'utf8');\n";
    await place.write(code, { ...SCHEMA, permissions: { read: ['./a.txt'] } });
    await place.consent();
    await using host = await place.open(true);
    const denied = await host.call({ name: 'it' });
    expect(denied).toMatchObject({ error: { code: 'permission_denied' } });
    expect(denied.content).toContain('"it": { "read": ["./a.txt"] }');
    await place.grant({ it: { read: ['./a.txt'] } });
    await expect.poll(() => answer(host, 'it'), { timeout: 10_000 }).toBe('inside');
    await place.grant({});
    await expect.poll(async () => (await host.call({ name: 'it' })).ok, { timeout: 10_000 }).toBe(false);
  });
});
