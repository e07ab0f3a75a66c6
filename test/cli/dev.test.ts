import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { startCli } from './run-cli.ts';

it('dev prints each load, reload, error with file and line, recovery and removal, and ends on Ctrl-C', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  const greet = await writePlugin(plugins, 'greet', answering('one'));
  const dev = startCli(['dev'], { cwd: root.dir });
  await dev.shows('loaded greet');
  await dev.shows('watching for changes');

  await writePlugin(plugins, 'second', answering('two'));
  await dev.shows('loaded second');

  await writeFile(path.join(greet, 'index.js'), answering('three'));
  await dev.shows('reloaded greet');

  await writeFile(path.join(greet, 'index.js'), 'export default () =>\n  (;\n');
  await dev.shows('broken greet');
  await dev.shows(`${path.join('plugins', 'greet', 'index.js')}:2:`);
  await dev.shows('goes on serving');

  await writeFile(path.join(greet, 'index.js'), answering('three'));
  await dev.shows('recovered greet');

  await rm(path.join(plugins, 'second'), { recursive: true });
  await dev.shows('removed second');

  dev.process.kill('SIGINT');
  expect(await dev.done).toMatchObject({ code: 0, signal: null, stdout: '' });
});

it('dev tells that a plugin serves after all when another one gives up its name', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  const schema = { name: 'same', description: 'One of two.', parameters: { type: 'object' } };
  await writePlugin(plugins, 'one', answering('one'), schema);
  const other = await writePlugin(plugins, 'two', answering('two'), schema);
  const dev = startCli(['dev'], { cwd: root.dir });
  await dev.shows('broken same', 2);
  await dev.shows('watching for changes');

  await rm(other, { recursive: true });
  await dev.shows('loaded same');
  dev.process.kill('SIGTERM');
  expect(await dev.done).toMatchObject({ code: 0 });
});

it('dev refuses a wrong config at once', async () => {
  await using root = await temporaryRoot();
  await writeFile(path.join(root.dir, 'registry.config.json'), '{"watch": "yes"}');
  const { code, stderr } = await startCli(['dev'], { cwd: root.dir }).done;
  expect(code).toBe(2);
  expect(stderr).toMatch(/watch must be a boolean, not "yes"/);
});
