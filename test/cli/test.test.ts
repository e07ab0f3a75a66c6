import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { runCli } from './run-cli.ts';

const testing = (expectation: string) => `import { expect, it } from 'vitest';
import { openPlugin } from 'glovebox/test';
it('answers', async () => {
  await using tool = await openPlugin(import.meta.url);
  expect((await tool.call({})).content).toBe(${JSON.stringify(expectation)});
});
`;

it("runs a plugin's own tests in the sandbox; a failing one fails the command", async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  const good = await writePlugin(plugins, 'good', answering('yes'));
  await writeFile(path.join(good, 'index.test.ts'), testing('yes'));
  const bad = await writePlugin(plugins, 'bad', answering('no'));
  await writeFile(path.join(bad, 'index.test.ts'), testing('yes'));
  await writePlugin(plugins, 'untested', answering('no'));

  const one = await runCli(['test', 'good', '--json'], { cwd: root.dir });
  expect(one).toMatchObject({ code: 0 });
  expect(JSON.parse(one.stdout)).toMatchObject({
    ok: true,
    tests: [{ file: 'plugins/good/index.test.ts', name: 'answers', state: 'passed', errors: [] }],
  });

  const all = await runCli(['test'], { cwd: root.dir });
  expect(all.code).toBe(1);
  expect(all.stdout).toMatch(/1 failed.*1 passed/);
  expect(all.stdout).toMatch(/bad\/index\.test\.ts/);
});

it('records what servers answer with --record, and needs no server afterwards', async () => {
  await using root = await temporaryRoot();
  const server = createServer((request, response) => response.end(`key ${request.headers['x-key']}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const dir = await writePlugin(
    path.join(root.dir, 'plugins'),
    'fetcher',
    `export default async () => (await fetch('${origin}/x')).text();`,
    {
      description: 'Fetches. Use it in tests.',
      parameters: { type: 'object' },
      permissions: {
        net: [`GET ${origin}/*`],
        secrets: { TEST_SECRET: { header: 'x-key', value: `\${TEST_SECRET}`, for: origin } },
      },
    },
  );
  await writeFile(path.join(dir, 'fetch.test.ts'), testing('key [redacted]'));
  const env = { TEST_SECRET: 'not-for-a-file' };
  expect(await runCli(['test', 'fetcher', '--record'], { cwd: root.dir, env })).toMatchObject({ code: 0 });
  expect(await readdir(path.join(dir, 'fixtures/net'))).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
  expect(await runCli(['test', 'fetcher'], { cwd: root.dir })).toMatchObject({ code: 0 });
});

it("leaves strangers' test files alone, which would run outside the wall", async () => {
  await using root = await temporaryRoot();
  const dir = await writePlugin(path.join(root.dir, 'plugins'), 'stranger', answering('yes'));
  await writeFile(
    path.join(dir, 'index.test.ts'),
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(path.join(root.dir, 'ran'))}, '');`,
  );
  const config = { plugins: [{ dir: './plugins', trust: 'granted' }] };
  await writeFile(path.join(root.dir, 'registry.config.json'), JSON.stringify(config));
  const { code, stderr } = await runCli(['test'], { cwd: root.dir });
  expect(code).toBe(1);
  expect(stderr).toMatch(/stranger: not tested\. .*--strangers/);
  expect(await readdir(root.dir)).not.toContain('ran');
});

it('says what there is to do when there is no such plugin, and no test', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'greet', answering('yes'));
  expect(await runCli(['test', 'gret'], { cwd: root.dir })).toMatchObject({
    code: 2,
    stderr: 'there is no plugin "gret". Did you mean "greet"?\n',
  });
  expect(await runCli(['test', 'greet'], { cwd: root.dir })).toMatchObject({
    code: 1,
    stderr: `There is no test: add index.test.ts to ${path.join('plugins', 'greet')}.\n`,
  });
});
