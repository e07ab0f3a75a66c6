import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { McpServerInput } from '../../../../core/config/index.ts';
import { workspace } from './fixture.ts';

const published = (name: string, ...args: readonly string[]): McpServerInput => ({
  command: process.execPath,
  args: [path.resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

test('server-everything: its tools are called, its environment is what the config gives it and nothing else', async () => {
  const { host: open } = await workspace();
  const host = await open({ everything: { ...published('everything'), env: { COLOUR: 'blue' } } });
  const echo = await host.call({ name: 'everything.echo', arguments: { message: 'hello' } });
  expect(echo).toMatchObject({ ok: true, content: 'Echo: hello' });
  const env = await host.call({ name: 'everything.get-env', arguments: {} });
  expect(JSON.parse(env.content)).toEqual({ COLOUR: 'blue' });
  const image = await host.call({ name: 'everything.get-tiny-image', arguments: {} });
  expect(image).toMatchObject({ ok: true, parts: [{ type: 'image', mimeType: 'image/png' }] });
  const wrong = await host.call({ name: 'everything.get-sum', arguments: { a: 'x', b: 2 } });
  expect(wrong).toMatchObject({ ok: false, error: { code: 'invalid_arguments', outcome: 'did_not_run' } });
  const weather = await host.call({
    name: 'everything.get-structured-content',
    arguments: { location: 'Chicago' },
  });
  expect(weather).toMatchObject({ ok: true, value: { conditions: expect.any(String) } });
  const seen: unknown[] = [];
  const long = await host.call({
    name: 'everything.trigger-long-running-operation',
    arguments: { duration: 0.2, steps: 2 },
    onProgress: (value) => seen.push(value),
  });
  expect(long.ok).toBe(true);
  expect(seen).toContainEqual(expect.objectContaining({ progress: 1, total: 2 }));
  const [exported] = host.view({ allow: ['everything.echo'] }).tools('openai');
  expect(exported?.function.name).toBe('everything_echo');
  expect(
    await host.call({ name: 'everything_echo', arguments: '{"message":"by its legal name"}' }),
  ).toMatchObject({
    content: 'Echo: by its legal name',
  });
});

test('server-filesystem: reads what it was given and its refusals come back as text', async () => {
  const { dir, host: open } = await workspace();
  const root = path.join(dir, 'files');
  await mkdir(root);
  await writeFile(path.join(root, 'note.txt'), 'in the file');
  const host = await open({ files: published('filesystem', root) });
  const read = await host.call({
    name: 'files.read_text_file',
    arguments: { path: path.join(root, 'note.txt') },
  });
  expect(read).toMatchObject({ ok: true, value: { content: 'in the file' } });
  const outside = await host.call({ name: 'files.read_text_file', arguments: { path: '/etc/hostname' } });
  expect(outside).toMatchObject({ ok: false, error: { code: 'tool_error' } });
  expect(outside.content).toContain('Access denied');
});

test('server-memory: what one call stores the next one finds', async () => {
  const { dir, host: open } = await workspace();
  const host = await open({
    memory: { ...published('memory'), env: { MEMORY_FILE_PATH: path.join(dir, 'memory.json') } },
  });
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
  expect(await host.call({ name: 'memory.create_entities', arguments: { entities } })).toMatchObject({
    ok: true,
  });
  const graph = await host.call({ name: 'memory.read_graph', arguments: {} });
  expect(graph).toMatchObject({ ok: true, value: { entities } });
});
