import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { answer, answering, nextUpdate, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

interface Opened extends AsyncDisposable {
  readonly host: Host;
  readonly plugins: string;
}

/** More plugins than are loaded at once. */
async function openMany(watch = false): Promise<Opened> {
  const root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  for (const name of ['one', 'two', 'three']) await writePlugin(plugins, name, answering(`this is ${name}`));
  await writePlugin(plugins, 'broken', 'export default () => {\n  this is no code\n};\n');
  const host = await createHost({ config: { plugins, watch, deferAbove: 2 } });
  await host.ready;
  const close = async () => {
    await host.close();
    await root[Symbol.asyncDispose]();
  };
  return { host, plugins, [Symbol.asyncDispose]: close };
}

it('lists many plugins without their code, and loads the code of one when it is called', async () => {
  await using opened = await openMany();
  const { host } = opened;
  expect(host.view().names()).toEqual(['broken', 'one', 'read_more', 'search_tools', 'three', 'two']);
  const listed = host.catalog.lookup('one')?.version;
  const answers = await Promise.all([answer(host, 'one'), answer(host, 'one'), answer(host, 'two')]);
  expect(answers).toEqual(['this is one', 'this is one', 'this is two']);
  expect(host.catalog.lookup('one')?.version).not.toBe(listed);
  expect(await host.call({ name: 'one', arguments: { n: 'x' } })).toMatchObject({
    error: { code: 'invalid_arguments' },
  });
});

it('says at the first call what is wrong with the code, by file and line, and shows it from then on', async () => {
  await using opened = await openMany();
  const { host } = opened;
  const result = await host.call({ name: 'broken' });
  expect(result).toMatchObject({ error: { code: 'plugin_unavailable', outcome: 'did_not_run' } });
  expect(result.content).toContain('index.js:2');
  expect(host.catalog.get('broken')).toMatchObject({ state: 'broken' });
  expect(await host.call({ name: 'broken' })).toMatchObject({ error: { code: 'plugin_unavailable' } });
});

it('follows the edits and the end of what is only listed', async () => {
  await using opened = await openMany(true);
  const { host, plugins } = opened;
  const update = nextUpdate(host, 'one');
  await writePlugin(plugins, 'one', answering('an edit'));
  await update;
  expect(await answer(host, 'one')).toBe('an edit');
  const described = nextUpdate(host, 'two');
  await writePlugin(plugins, 'two', answering('two'), { ...SCHEMA, description: 'Another description.' });
  expect(await described).toMatchObject({ tool: { manifest: { description: 'Another description.' } } });
  const removed = new Promise((resolve) => host.catalog.once('remove', resolve));
  await rm(path.join(plugins, 'three'), { recursive: true });
  expect(await removed).toBe('three');
});

it('follows what is only listed when another folder takes its place, and when one comes beside it', async () => {
  await using opened = await openMany(true);
  const { host, plugins } = opened;
  const aside = path.join(plugins, '..', 'aside');
  await writePlugin(aside, 'one', answering('another one'), { ...SCHEMA, description: 'Another folder.' });
  const replaced = nextUpdate(host, 'one');
  await rename(path.join(plugins, 'one'), path.join(aside, 'old'));
  await rename(path.join(aside, 'one'), path.join(plugins, 'one'));
  expect(await replaced).toMatchObject({ tool: { manifest: { description: 'Another folder.' } } });
  const again = nextUpdate(host, 'one');
  await writePlugin(plugins, 'one', answering('an edit of it'));
  await again;
  expect(await answer(host, 'one')).toBe('an edit of it');
  const added = nextUpdate(host, 'four');
  await writePlugin(plugins, 'four', answering('four'));
  await added;
  expect(await answer(host, 'four')).toBe('four');
});

it('follows what is only listed when the folder around it is replaced', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  const aside = path.join(root.dir, 'aside');
  for (const name of ['one', 'two', 'three']) await writePlugin(plugins, `group/${name}`, answering(name));
  const described = { ...SCHEMA, description: 'Of the other group.' };
  for (const name of ['one', 'two', 'three'])
    await writePlugin(aside, `group/${name}`, answering(`new ${name}`), described);
  await using host = await createHost({ config: { plugins, watch: true, deferAbove: 2 } });
  await host.ready;
  const replaced = nextUpdate(host, 'group.two');
  await rename(path.join(plugins, 'group'), path.join(aside, 'old'));
  await rename(path.join(aside, 'group'), path.join(plugins, 'group'));
  expect(await replaced).toMatchObject({ tool: { manifest: described } });
  expect(await answer(host, 'group.two')).toBe('new two');
  const edited = nextUpdate(host, 'group.two');
  await writePlugin(plugins, 'group/two', answering('an edit'), described);
  await edited;
  expect(await answer(host, 'group.two')).toBe('an edit');
});

it('follows what is only listed when the whole root is replaced', async () => {
  await using opened = await openMany(true);
  const { host, plugins } = opened;
  const described = { ...SCHEMA, description: 'Of the other root.' };
  const aside = `${plugins}-aside`;
  for (const name of ['one', 'two', 'three', 'broken'])
    await writePlugin(aside, name, answering(`new ${name}`), described);
  const replaced = nextUpdate(host, 'two');
  await rename(plugins, `${plugins}-old`);
  await rename(aside, plugins);
  expect(await replaced).toMatchObject({ tool: { manifest: described } });
  expect(await answer(host, 'two')).toBe('new two');
});

it('follows every file of what was only listed, once it was called', async () => {
  await using opened = await openMany(true);
  const { host, plugins } = opened;
  const entry = "import { text } from './parts/text.js';\nexport default () => text;\n";
  await mkdir(path.join(plugins, 'two', 'parts'));
  await writeFile(path.join(plugins, 'two', 'parts', 'text.js'), "export const text = 'before';\n");
  const edited = nextUpdate(host, 'two');
  await writePlugin(plugins, 'two', entry);
  await edited;
  expect(await answer(host, 'two')).toBe('before');
  const changed = nextUpdate(host, 'two');
  await writeFile(path.join(plugins, 'two', 'parts', 'text.js'), "export const text = 'after';\n");
  await changed;
  expect(await answer(host, 'two')).toBe('after');
});

it('never runs new code on arguments that were held against an old schema', async () => {
  await using opened = await openMany();
  const { host, plugins } = opened;
  await writePlugin(plugins, 'one', answering('new'), { ...SCHEMA, description: 'A new one.' });
  expect(await host.call({ name: 'one' })).toMatchObject({ error: { code: 'plugin_unavailable' } });
  expect(await answer(host, 'one')).toBe('new');
});

it('keeps what was listed for the next start, and takes it for nothing once a schema.json was touched', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  for (const name of ['one', 'two', 'three']) await writePlugin(plugins, name, answering(name));
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, JSON.stringify({ plugins: [plugins], watch: false, deferAbove: 2 }));
  const list = async () => {
    await using host = await createHost({ config });
    return host
      .view()
      .list()
      .map(({ manifest }) => manifest);
  };
  const first = await list();
  const cache = path.join(root.dir, '.glovebox', 'cache');
  const [file = ''] = await readdir(cache);
  const kept = await readFile(path.join(cache, file), 'utf8');
  // Seen: what is listed now comes from the file.
  await writeFile(path.join(cache, file), kept.replaceAll(SCHEMA.description, 'From the cache.'));
  expect((await list()).find(({ name }) => name === 'one')?.description).toBe('From the cache.');
  await writePlugin(plugins, 'one', answering('one'), { ...SCHEMA, description: 'Touched.' });
  expect((await list()).find(({ name }) => name === 'one')?.description).toBe('Touched.');
  await writeFile(path.join(cache, file), kept.replace(/"key":"[^"]*"/, '"key":"another version"'));
  expect((await list()).find(({ name }) => name === 'two')).toEqual(first.find(({ name }) => name === 'two'));
  await writeFile(path.join(cache, file), 'damaged');
  expect(await list()).toHaveLength(first.length);
});
