import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Diagnosis, diagnose, judgeEngineVersion } from '../../core/doctor/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';

it('finds nothing wrong with a good project, and exits with 0', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  const { code, stdout } = await runCli(['doctor', '--json'], { cwd: root.dir });
  const report: { ok: boolean; findings: Diagnosis[] } = JSON.parse(stdout);
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
  const checks = new Set(report.findings.map(({ check }) => check));
  for (const check of ['node', 'isolated-vm', 'build', 'worker', 'watch', 'config', 'plugins', 'data'])
    expect(checks).toContain(check);
  expect(report.findings.find(({ check }) => check === 'node')?.message).toMatch(/Node 2\d.*ABI \d+/);
  expect(report.findings.find(({ check }) => check === 'plugins')?.message).toBe(
    'plugins: 1 under trust "declared"',
  );
});

it('tells every problem of a config with its place, its fix, and exits with 1', async () => {
  await using root = await temporaryRoot();
  await writeFile(path.join(root.dir, 'registry.config.json'), '{\n  "watch": "yes",\n  "limitz": {}\n}');
  const { code, stdout } = await runCli(['doctor'], { cwd: root.dir });
  expect(code).toBe(1);
  expect(stdout).toMatch(/failed +config +registry\.config\.json:2:3: watch must be a boolean/);
  expect(stdout).toMatch(/failed +config +registry\.config\.json:3:3: limitz .*\n +fix: write "limits"/);
  expect(stdout).toMatch(/ok +worker/);
});

it('tells of a directory that is not there, a data directory that can not be one, and a damaged lock', async () => {
  await using root = await temporaryRoot();
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, '{"plugins": [{"dir": "./nowhere", "trust": "granted"}]}');
  await writeFile(path.join(root.dir, '.glovebox'), '');
  await writeFile(path.join(root.dir, 'registry.lock.json'), '{"plugins"');
  const found = (await diagnose({ config })).filter(({ status }) => status !== 'ok');
  expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'plugins warning',
    'data failed',
    'lock failed',
  ]);
  for (const { fix } of found) expect(fix).toBeTruthy();
});

it.each([
  ['5.0.4', 'failed'],
  ['7.0.0', 'failed'],
  ['7.0.0-rc.1', 'failed'],
  ['7.0.1', 'ok'],
  ['7.3.0', 'ok'],
  ['8.0.0', 'warning'],
  ['nonsense', 'failed'],
])('judges isolated-vm %s: %s', (version, status) => {
  expect(judgeEngineVersion(version).status).toBe(status);
});
