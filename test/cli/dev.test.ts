import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { BIN, runCli, startCli } from './run-cli.ts';

it('dev prints each load, reload, error with file and line, recovery and removal, and ends on Ctrl-C', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  const greet = await writePlugin(plugins, 'greet', answering('one'));
  const dev = startCli(['dev'], { cwd: root.dir });
  await dev.shows('loaded greet');
  await dev.shows(' ms\n');
  await dev.shows('watching for changes');

  await writePlugin(plugins, 'second', answering('two'));
  await dev.shows('loaded second');

  await writeFile(path.join(greet, 'index.js'), answering('three'));
  await dev.shows('reloaded greet');

  await writeFile(path.join(greet, 'index.js'), 'export default () =>\n  (;\n');
  await dev.shows('broken greet');
  await dev.shows(`${path.join('plugins', 'greet', 'index.js')}:2:`);
  await dev.shows('goes on serving');
  await dev.shows('> 2 |   (;');

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

const TRYING = `export default async ({ name }) => {
  console.log('asked for', name);
  if (name === 'bad') {
    throw new Error('a bad name');
  }
  return (await fetch('https://example.com/' + name)).status;
};
`;

it('dev calls tools from its own input, and shows arguments, answer, use, logs, frames and denials with the grant', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', TRYING, {
    description: 'Greets. Use it in tests.',
    parameters: { type: 'object', properties: { name: { type: 'string' } } },
  });
  const stdin = 'greet {"name": "bad"}\ncall greet {"name": "Ada"}\nlist\nhelp\n';
  const dev = startCli(['dev'], { cwd: root.dir, stdin });
  await dev.shows('greet info: asked for bad');
  await dev.shows('greet {"name": "bad"}\n  tool_error ');
  await dev.shows("> 4 |     throw new Error('a bad name');");
  await dev.shows('greet {"name": "Ada"}\n  permission_denied ');
  await dev.shows('denied net GET https://example.com/Ada');
  await dev.shows('"greet": { "net": ["GET https://example.com/Ada"] }', 2);
  await dev.shows('read_more');
  dev.process.kill('SIGINT');
  const { code, stdout, stderr } = await dev.done;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/heap \d+\.\d MiB, 1 host call/);
});

it('dev shows the calls of other processes, out of the audit', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  await writeFile(path.join(root.dir, 'registry.config.json'), '{"audit": {"arguments": true}}');
  const dev = startCli(['dev'], { cwd: root.dir });
  await dev.shows('watching for changes');
  await runCli(['call', 'greet', '--args', '{"n": 7}'], { cwd: root.dir });
  await dev.shows('greet {"n":7}\n  ok ');
  await dev.shows('in another process');
  dev.process.kill('SIGINT');
  expect(await dev.done).toMatchObject({ code: 0 });
});

it('dev takes up a config that has changed, and goes on with the old one when it is wrong', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  await writePlugin(path.join(root.dir, 'more'), 'second', answering('hello'));
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, '{}');
  const dev = startCli(['dev'], { cwd: root.dir });
  await dev.shows('watching for changes');
  await writeFile(config, '{"pluginz": []}');
  await dev.shows('registry.config.json:1:2: pluginz is not a known key');
  await dev.shows('stays in force');
  await writeFile(config, '{"plugins": ["./plugins", "./more"]}');
  await dev.shows('the config has changed (plugins): restarting');
  await dev.shows('loaded second');
  await dev.shows('watching for changes', 2);
  dev.process.kill('SIGINT');
  expect(await dev.done).toMatchObject({ code: 0 });
});

it('dev does not outlive a parent that was killed', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  const script = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(BIN)}, 'dev'], { stdio: ['pipe', 'ignore', 'pipe'] });
    child.stderr.on('data', (text) => { if (String(text).includes('watching')) console.log(child.pid) });`;
  const parent = spawn(process.execPath, ['-e', script], {
    cwd: root.dir,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once('data', (data) => resolve(Number(data))),
  );
  parent.kill('SIGKILL');
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 100));
});

it('dev --inspect tells where Chrome DevTools can attach, and of a name that is no tool', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  const dev = startCli(['dev', '--inspect', 'greet'], { cwd: root.dir, stdin: 'greet {}\n' });
  await dev.shows('devtools://devtools/bundled/js_app.html');
  await dev.shows('greet {}\n  ok ');
  dev.process.kill('SIGINT');
  expect(await dev.done).toMatchObject({ code: 0, stdout: '' });

  const other = startCli(['dev', '--inspect', 'gret'], { cwd: root.dir });
  await other.shows('there is no tool "gret" to inspect yet');
  other.process.kill('SIGINT');
  expect(await other.done).toMatchObject({ code: 0 });
});
