import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { runCli } from './run-cli.ts';

const BIN = path.join(import.meta.dirname, '../../bin/glovebox.js');

/** A project with `glovebox` on the PATH, and what a real shell completes there. */
async function project() {
  const root = await temporaryRoot();
  const bin = path.join(root.dir, 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'glovebox'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(path.join(bin, 'glovebox'), 0o755);
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(plugins, 'weather', answering('x'));
  await writePlugin(path.join(plugins, 'web'), 'search', answering('x'));
  await writePlugin(plugins, 'evil', answering('x'), {
    name: 'we$(touch ran)',
    description: 'Its name is a trap.',
    parameters: { type: 'object' },
  });
  return { dir: root.dir, bin, [Symbol.asyncDispose]: () => root[Symbol.asyncDispose]() };
}

async function inBash(dir: string, bin: string, words: readonly string[]): Promise<string[]> {
  const script = `
    source <(glovebox completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _glovebox
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: dir, env });
  return stdout.split('\n').filter((line) => line !== '');
}

it('completes commands, names of tools, options and their values in bash', async () => {
  await using at = await project();
  expect(await inBash(at.dir, at.bin, ['glovebox', 'ca'])).toEqual(['call']);
  expect(await inBash(at.dir, at.bin, ['glovebox', 'call', 'we'])).toEqual(['weather', 'web.search']);
  expect(await inBash(at.dir, at.bin, ['glovebox', 'call', 'weather', '--js'])).toEqual(['--json']);
  expect(await inBash(at.dir, at.bin, ['glovebox', 'check', '--format', ''])).toEqual([
    'text',
    'json',
    'github',
  ]);
}, 90_000);

const hasShell = (name: string) => spawnSync(name, ['-c', 'exit 0']).status === 0;

it.each([
  ['bash', ['-n']],
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
] as const)('prints a script that %s reads, where it is installed', async (shell, flags) => {
  await using root = await temporaryRoot();
  const { code, stdout } = await runCli(['completion', shell], { cwd: root.dir });
  expect(code).toBe(0);
  expect(stdout).toContain('glovebox');
  if (!hasShell(shell)) return;
  const file = path.join(root.dir, 'script');
  await writeFile(file, stdout);
  expect(spawnSync(shell, [...flags, file])).toMatchObject({ status: 0 });
});

it('completes nothing, and says nothing, where the config is broken; knows three shells', async () => {
  await using root = await temporaryRoot();
  await writeFile(path.join(root.dir, 'registry.config.json'), '{');
  expect(await runCli(['__complete', '--', 'call', ''], { cwd: root.dir })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  });
  const { code, stderr } = await runCli(['completion', 'tcsh'], { cwd: root.dir });
  expect(code).toBe(2);
  expect(stderr).toMatch(/Known are bash, zsh, fish/);
});
