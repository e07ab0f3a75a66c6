import path from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCli } from './run-cli.ts';

const cwd = path.join(import.meta.dirname, '../..');

it('says in one line which Node it needs when it runs on an old one, and exits with 2', async () => {
  // The real thing needs a second Node; what the script looks at is set before it runs.
  const old = `data:text/javascript,
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
    Object.defineProperty(process, 'version', { value: 'v20.20.2' });`;
  const { code, stdout, stderr } = await runCli(['list'], { cwd, nodeFlags: ['--import', old] });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^glovebox needs Node 24 or newer; this is v20\.20\.2\..*\n$/);
});

it('tells its version and its commands', async () => {
  expect(await runCli(['--version'], { cwd })).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` });
  const { code, stdout } = await runCli(['--help'], { cwd });
  expect(code).toBe(0);
  for (const command of ['dev', 'list', 'call']) expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
});
