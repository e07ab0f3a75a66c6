import path from 'node:path';
import { expect, it } from 'vitest';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { runCli } from './run-cli.ts';

const ESCAPE = '\u001b[';
const plain = { FORCE_COLOR: undefined, NO_COLOR: undefined } as unknown as Record<string, string>; // spawn leaves out what is undefined

it('writes colours where FORCE_COLOR asks for them, never into a pipe by itself, and never under NO_COLOR', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  const colours = async (env: Record<string, string>) => {
    const { stdout } = await runCli(['list'], { cwd: root.dir, env: { ...plain, ...env } });
    return stdout.includes(ESCAPE);
  };
  expect(await colours({})).toBe(false);
  expect(await colours({ FORCE_COLOR: '1' })).toBe(true);
  expect(await colours({ FORCE_COLOR: '0' })).toBe(false);
  expect(await colours({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
}, 90_000);

it('leaves out what plugins log, and keeps answers and errors, under --quiet in either place', async () => {
  await using root = await temporaryRoot();
  const code = `export default () => { console.log('chatter'); console.error('trouble'); return 'answer'; };`;
  await writePlugin(path.join(root.dir, 'plugins'), 'talk', code);
  const loud = await runCli(['call', 'talk'], { cwd: root.dir });
  expect(loud.stderr).toMatch(/chatter[\s\S]*trouble/);
  for (const args of [
    ['--quiet', 'call', 'talk'],
    ['call', 'talk', '-q'],
  ]) {
    const { stdout, stderr } = await runCli(args, { cwd: root.dir });
    expect(stdout).toBe('answer\n');
    expect(stderr).toMatch(/trouble/);
    expect(stderr).not.toMatch(/chatter/);
  }
}, 90_000);

it('shows examples in the help of every command', async () => {
  await using root = await temporaryRoot();
  const { stdout } = await runCli(['--help'], { cwd: root.dir });
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) (?:\[options\]|<)/gm)].map(([, name = '']) => name);
  expect(commands).toEqual(
    expect.arrayContaining(['dev', 'list', 'call', 'check', 'test', 'doctor', 'completion']),
  );
  const helps = await Promise.all(commands.map((name) => runCli([name, '--help'], { cwd: root.dir })));
  const without = commands.filter((_name, index) => !/Examples?:/.test(helps[index]?.stdout ?? ''));
  expect(without).toEqual([]);
}, 120_000);
