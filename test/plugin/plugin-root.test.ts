import { execFileSync } from 'node:child_process';
import { cp, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Catalog, type CatalogEntry } from '../../core/catalog/catalog.ts';
import { PluginRoot, type PluginRootOptions } from '../../core/plugin/plugin-root.ts';
import { fakeTool, trusting } from './fakes.ts';
import { type Files, SCHEMA, temporaryDirectory, writeFiles } from './temporary-plugin.ts';

interface Opened extends AsyncDisposable {
  readonly catalog: Catalog;
  readonly root: PluginRoot;
  readonly problems: string[];
  readonly events: string[];
  /** The next entry for which it holds, from the catalog's events. */
  next(name: string, holds?: (entry: CatalogEntry) => boolean): Promise<CatalogEntry>;
  removed(name: string): Promise<void>;
}

async function openRoot(dir: string, options: Partial<PluginRootOptions> = {}): Promise<Opened> {
  const catalog = new Catalog();
  const problems: string[] = [];
  const events: string[] = [];
  catalog.on('update', (entry) => events.push(`${entry.name} ${entry.state}`));
  catalog.on('remove', (name) => events.push(`${name} removed`));
  const root = new PluginRoot({
    ...{ dir, trust: 'declared', catalog, makeTool: fakeTool, ...trusting },
    onProblem: ({ message }) => problems.push(message),
    ...options,
  });
  catalog.apply(await root.load());
  await root.follow();
  await root.settled();
  events.length = 0;
  return {
    ...{ catalog, root, problems, events },
    next: (name, holds = () => true) =>
      new Promise((resolve) => {
        const listen = (entry: CatalogEntry) => {
          if (entry.name !== name || !holds(entry)) return;
          catalog.off('update', listen);
          resolve(entry);
        };
        catalog.on('update', listen);
      }),
    removed: (name) =>
      new Promise((resolve) => {
        const listen = (gone: string) => {
          if (gone !== name) return;
          catalog.off('remove', listen);
          resolve();
        };
        catalog.on('remove', listen);
      }),
    [Symbol.asyncDispose]: () => root.close(),
  };
}

/** A plugin whose description tells its versions apart. */
function plugin(description: string, name?: string): Files {
  return {
    'schema.json': JSON.stringify({ name, description, parameters: { type: 'object' } }),
    'index.js': `export default () => ${JSON.stringify(description)};\n`,
  };
}

const said = (description: string) => (entry: CatalogEntry) =>
  entry.tool?.manifest.description === description;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('PluginRoot', () => {
  it('loads what is there, one bad plugin hiding none of the others', async () => {
    await using home = await temporaryDirectory();
    await writeFiles(path.join(home.dir, 'good'), plugin('good'));
    await writeFiles(path.join(home.dir, 'github/search'), plugin('grouped'));
    await writeFiles(path.join(home.dir, 'bad'), { 'schema.json': '{' });
    await writeFiles(path.join(home.dir, 'worse'), { ...plugin('worse'), 'index.js': 'export default (' });
    await using opened = await openRoot(home.dir, {
      makeTool: (version) => {
        if (version.manifest.name === 'throws') throw new Error('no tool of that');
        return fakeTool(version);
      },
    });
    expect(opened.catalog.list().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'bad broken',
      'github.search ready',
      'good ready',
      'worse broken',
    ]);
    const update = opened.next('throws');
    await writeFiles(path.join(home.dir, 'throws'), plugin('throws'));
    expect(await update).toMatchObject({
      state: 'broken',
      problems: [{ message: 'loading it failed: no tool of that' }],
    });
  });

  it('takes a plugin that is copied in, in a new folder too, and drops one that is deleted', async () => {
    await using home = await temporaryDirectory();
    await using staging = await temporaryDirectory();
    await writeFiles(staging.dir, plugin('copied'));
    await using opened = await openRoot(home.dir);
    const update = opened.next('group.sub.tool');
    await cp(staging.dir, path.join(home.dir, 'group/sub/tool'), { recursive: true });
    expect(await update).toMatchObject({ state: 'ready' });
    const removed = opened.removed('group.sub.tool');
    await rm(path.join(home.dir, 'group'), { recursive: true });
    await removed;
    expect(opened.catalog.list()).toEqual([]);
  });

  it('takes many plugins that come at once', async () => {
    await using home = await temporaryDirectory();
    await using staging = await temporaryDirectory();
    const names = Array.from({ length: 40 }, (_, index) => `tool_${index}`);
    for (const name of names) await writeFiles(path.join(staging.dir, name), plugin(name));
    await using opened = await openRoot(home.dir);
    execFileSync('cp', ['-r', ...names.map((name) => path.join(staging.dir, name)), home.dir]);
    while (opened.catalog.tools().length < names.length) await pause(20);
    await opened.root.settled();
    expect(opened.catalog.list().every(({ state }) => state === 'ready')).toBe(true);
    expect(opened.events.filter((event) => event.includes('broken'))).toEqual([]);
  });

  it('takes a change in any file that is imported, also in a package, and none where nothing changes', async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), {
      'schema.json': SCHEMA,
      'index.js':
        "import { deep } from './lib/deep.js';\nimport p from 'p';\nexport default () => [deep, p];\n",
      'lib/deep.js': 'export const deep = 1;\n',
      'node_modules/p/index.js': 'module.exports = 1;\n',
      'notes.md': 'a',
    });
    await using opened = await openRoot(home.dir);
    const versions = new Set([opened.catalog.get('it')?.version]);
    for (const [name, text] of [
      ['lib/deep.js', 'export const deep = 2;\n'],
      ['node_modules/p/index.js', 'module.exports = 2;\n'],
    ] as const) {
      const update = opened.next('it');
      await writeFile(path.join(dir, name), text);
      versions.add((await update).version);
    }
    expect(versions.size).toBe(3);
    await opened.root.settled();
    opened.events.length = 0;
    const tool = opened.catalog.lookup('it');
    await writeFile(path.join(dir, 'notes.md'), 'b');
    await writeFile(path.join(dir, 'lib/deep.js'), 'export const deep = 2;\n');
    await writeFile(path.join(dir, '.swap'), '');
    await pause(150);
    await opened.root.settled();
    expect(opened.events).toEqual([]);
    expect(opened.catalog.lookup('it')).toBe(tool);
  });

  it('tries again when a missing package is installed', async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), {
      'schema.json': SCHEMA,
      'index.js': "import p from 'p';\nexport default () => p;\n",
    });
    await using opened = await openRoot(home.dir);
    expect(opened.catalog.get('it')).toMatchObject({ state: 'broken' });
    const update = opened.next('it');
    await writeFiles(dir, { 'node_modules/p/index.js': 'module.exports = 1;\n' });
    expect(await update).toMatchObject({ state: 'ready' });
  });

  it('is never gone or broken through atomic saves, backups, slow writes and a checkout that replaces the directory', async () => {
    await using home = await temporaryDirectory();
    await using staging = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), plugin('0'));
    await using opened = await openRoot(home.dir);
    const schema = path.join(dir, 'schema.json');
    const text = (description: string) => plugin(description)['schema.json'] ?? '';

    let update = opened.next('it', said('1'));
    await writeFile(`${schema}.tmp`, text('1'));
    await rename(`${schema}.tmp`, schema);
    await update;

    update = opened.next('it', said('2'));
    await rename(schema, `${schema}~`);
    await pause(60);
    await writeFile(schema, text('2'));
    await rm(`${schema}~`);
    await update;

    update = opened.next('it', said('3'));
    const file = await open(schema, 'w');
    for (const character of text('3').match(/.{1,16}/gs) ?? []) {
      await file.write(character);
      await pause(60);
    }
    await file.close();
    await update;

    await writeFiles(path.join(staging.dir, 'it'), plugin('4'));
    update = opened.next('it', said('4'));
    await rm(dir, { recursive: true });
    await pause(100);
    await cp(path.join(staging.dir, 'it'), dir, { recursive: true });
    await update;

    update = opened.next('it', said('5'));
    await writeFiles(path.join(staging.dir, 'next'), plugin('5'));
    await rename(dir, path.join(staging.dir, 'old'));
    await rename(path.join(staging.dir, 'next'), dir);
    await update;
    expect(opened.events).toEqual(Array(5).fill('it ready'));
  });

  it('moves a plugin with its own name to another directory without a clash that stays', async () => {
    await using home = await temporaryDirectory();
    await writeFiles(path.join(home.dir, 'old'), plugin('moved', 'named'));
    await using opened = await openRoot(home.dir);
    const update = opened.next(
      'named',
      ({ dir, state }) => state === 'ready' && dir?.endsWith('new') === true,
    );
    await rename(path.join(home.dir, 'old'), path.join(home.dir, 'new'));
    expect(await update).toMatchObject({ problems: [] });
    expect(opened.catalog.list()).toHaveLength(1);
  });

  it('loads a directory that something writes to all the time, and takes its edits', async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), plugin('0'));
    await using opened = await openRoot(home.dir);
    let count = 0;
    const writer = setInterval(() => void writeFile(path.join(dir, 'data.txt'), String(count++)), 5);
    try {
      const update = opened.next('it', said('1'));
      await writeFiles(dir, plugin('1'));
      expect((await update).state).toBe('ready');
    } finally {
      clearInterval(writer);
    }
  });

  it('makes a folder above plugins a plugin when it gets a schema, and lets them out again', async () => {
    await using home = await temporaryDirectory();
    await writeFiles(path.join(home.dir, 'outer/inner'), plugin('inner'));
    await using opened = await openRoot(home.dir);
    const [update, removed] = [opened.next('outer'), opened.removed('outer.inner')];
    await writeFiles(path.join(home.dir, 'outer'), plugin('outer'));
    await Promise.all([update, removed]);
    const back = opened.next('outer.inner');
    await rm(path.join(home.dir, 'outer/schema.json'));
    expect(await back).toMatchObject({ state: 'ready' });
    await opened.root.settled();
    expect(opened.catalog.list().map(({ name }) => name)).toEqual(['outer.inner']);
  });

  it('holds a version back that is not admitted, with its diff, while the old one serves', async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), plugin('old'));
    await using opened = await openRoot(home.dir, {
      trust: 'granted',
      admit: async ({ manifest }) =>
        manifest.description === 'old'
          ? { admitted: true }
          : { admitted: false, reason: 'it changed\n- old\n+ new' },
    });
    const update = opened.next('it');
    await writeFiles(dir, plugin('new'));
    expect(await update).toMatchObject({
      state: 'held',
      tool: { manifest: { description: 'old' } },
      problems: [{ message: 'it changed\n- old\n+ new' }],
    });
    const back = opened.next('it');
    await writeFiles(dir, plugin('old'));
    expect(await back).toMatchObject({ state: 'ready', problems: [] });
  });

  it('finds the root when it comes, and again after it went', { timeout: 60_000 }, async () => {
    await using home = await temporaryDirectory();
    const dir = path.join(home.dir, 'plugins');
    await using opened = await openRoot(dir);
    for (const round of ['1', '2']) {
      const update = opened.next('it', said(round));
      await writeFiles(path.join(dir, 'it'), plugin(round));
      await update;
      const edited = opened.next('it', said(`${round} edited`));
      await writeFiles(path.join(dir, 'it'), plugin(`${round} edited`));
      await edited;
      const removed = opened.removed('it');
      await rm(dir, { recursive: true });
      await removed;
    }
  });

  it('reloads 200 times under concurrent reads: never unknown, never stale, every old version retired', {
    timeout: 240_000,
  }, async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), plugin('0'));
    await using opened = await openRoot(home.dir, { quietMs: 5 });
    const retired = new Set<string>();
    const served = new Set([opened.catalog.get('it')?.version]);
    opened.catalog.on('retire', (tool) => retired.add(tool.version));
    let done = false;
    let unknown = 0;
    const reader = (async () => {
      while (!done) {
        if (opened.catalog.lookup('it') === undefined) unknown += 1;
        if (opened.catalog.list().length !== 1) unknown += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 1; round <= 200; round += 1) {
      const update = opened.next('it', said(String(round)));
      await writeFile(path.join(dir, 'schema.json'), plugin(String(round))['schema.json'] ?? '');
      served.add((await update).version);
      expect(opened.catalog.lookup('it')?.manifest.description).toBe(String(round));
    }
    done = true;
    await reader;
    expect(unknown).toBe(0);
    expect(served.size).toBe(201);
    expect(retired.size).toBe(200);
    expect(opened.events.filter((event) => event !== 'it ready')).toEqual([]);
  });

  it("tells of a folder that can't be read, keeps what served from it, and goes on with the rest", async () => {
    await using home = await temporaryDirectory();
    await writeFiles(path.join(home.dir, 'good'), plugin('good'));
    await writeFiles(path.join(home.dir, 'locked/inner'), plugin('inner'));
    await writeFiles(home.dir, {
      'run.ts': `
        import { chmodSync } from 'node:fs';
        import { Catalog } from ${JSON.stringify(path.resolve('core/catalog/catalog.ts'))};
        import { PluginRoot } from ${JSON.stringify(path.resolve('core/plugin/plugin-root.ts'))};
        import { fakeTool, trusting } from ${JSON.stringify(path.resolve('test/plugin/fakes.ts'))};
        const catalog = new Catalog();
        const problems = [];
        const dir = ${JSON.stringify(home.dir)};
        const root = new PluginRoot({ dir, trust: 'declared', catalog, makeTool: fakeTool, ...trusting, onProblem: ({ message }) => problems.push(message) });
        catalog.apply(await root.load());
        await root.follow();
        await root.settled();
        const broken = new Promise((resolve) => catalog.on('update', (entry) => entry.state === 'broken' && resolve(entry)));
        chmodSync(dir + '/good', 0);
        const entry = await broken;
        chmodSync(dir + '/good', 0o755);
        console.log(JSON.stringify({ problems, tools: catalog.tools().length, problem: entry.problems[0].message, serves: entry.version !== undefined }));
        await root.close();`,
    });
    execFileSync('chmod', ['-R', 'a+rwX', home.dir]);
    execFileSync('chmod', ['0', path.join(home.dir, 'locked')]);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) execFileSync('chown', ['-R', '65534', home.dir]);
    try {
      const output = execFileSync(process.execPath, [path.join(home.dir, 'run.ts')], {
        ...(isRoot ? { uid: 65_534 } : {}),
        encoding: 'utf8',
      });
      expect(JSON.parse(output)).toEqual({
        problems: expect.arrayContaining([
          `${path.join(home.dir, 'locked')}: the directory can't be read (EACCES)`,
        ]),
        tools: 1,
        problem: expect.stringContaining('EACCES'),
        serves: true,
      });
    } finally {
      execFileSync('chmod', ['755', path.join(home.dir, 'locked')]);
    }
  });

  it('ends its watchers and timers, in the midst of work too', async () => {
    await using home = await temporaryDirectory();
    const dir = await writeFiles(path.join(home.dir, 'it'), plugin('0'));
    const opened = await openRoot(home.dir);
    await writeFiles(dir, plugin('1'));
    await mkdir(path.join(home.dir, 'another'));
    await pause(20);
    await opened.root.close();
    const { events } = opened;
    const before = events.length;
    await writeFiles(dir, plugin('2'));
    await pause(200);
    expect(events).toHaveLength(before);
  });
});
