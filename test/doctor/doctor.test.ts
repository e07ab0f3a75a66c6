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

it('tells of plugins that are broken or wait for consent, with what to do', async () => {
  await using root = await temporaryRoot();
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, '{"plugins": ["./plugins", {"dir": "./theirs", "trust": "granted"}]}');
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('hello'));
  await writePlugin(path.join(root.dir, 'plugins'), 'torn', 'export default () =>\n  (;\n');
  await writePlugin(path.join(root.dir, 'theirs'), 'strange', answering('hello'));
  const { code, stdout } = await runCli(['doctor', '--json'], { cwd: root.dir });
  const { findings }: { findings: Diagnosis[] } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(findings.filter(({ check, status }) => check === 'plugins' && status !== 'ok')).toEqual([
    {
      ...{ check: 'plugins', status: 'warning' },
      message: expect.stringMatching(/^strange \(theirs\/strange\) is held: .*nobody has consented to it/),
      fix: 'npx glovebox grant strange',
    },
    {
      ...{ check: 'plugins', status: 'failed' },
      message: expect.stringMatching(/^torn \(plugins\/torn\) is broken: index\.js:2:\d+: /),
      fix: expect.stringContaining('npx glovebox check'),
    },
  ]);
});

it('tells of no more broken plugins than can be read, and how many there are besides', async () => {
  await using root = await temporaryRoot();
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, '{"plugins": ["./plugins"]}');
  for (let index = 0; index < 25; index += 1)
    await writePlugin(path.join(root.dir, 'plugins'), `torn_${index}`, 'export default (');
  const found = (await diagnose({ config })).filter(({ status }) => status !== 'ok');
  expect(found).toHaveLength(21);
  expect(found.at(-1)?.message).toBe('5 more are broken or held');
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
