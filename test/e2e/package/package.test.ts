import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, modelServer } from '../../agent/model-server.ts';

const run = promisify(execFile);
const checkout = path.join(import.meta.dirname, '../../..');
let project: string;
let packed: readonly string[];

/** What npm gives a stranger: the tarball, installed into an empty project. */
beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'glovebox-package-'));
  const env = {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  };
  const pack = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: checkout, env });
  // npm prints what `prepare` says before its own JSON.
  const listed: unknown = JSON.parse(pack.stdout.slice(pack.stdout.search(/^[[{]/m)));
  // An array before npm 12, keyed by name since.
  const [tarball] = Object.values(listed as Record<string, { filename: string; files: { path: string }[] }>);
  packed = tarball?.files.map((file) => file.path) ?? [];
  await writeFile(
    path.join(project, 'package.json'),
    '{ "name": "empty", "type": "module", "private": true }',
  );
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...quiet, path.join(project, tarball?.filename ?? '')], { cwd: project, env });
}, 300_000);

afterAll(() => rm(project, { recursive: true, force: true }));

async function glovebox(...args: readonly string[]) {
  const bin = path.join(project, 'node_modules/glovebox/bin/glovebox.js');
  return run(process.execPath, [bin, ...args], { cwd: project });
}

async function writeGreeting(): Promise<void> {
  const dir = path.join(project, 'plugins/greet');
  await mkdir(dir, { recursive: true });
  const schema = {
    description: 'Greets somebody by name. Use it when the user asks for a greeting.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  };
  await writeFile(path.join(dir, 'schema.json'), JSON.stringify(schema));
  await writeFile(
    path.join(dir, 'index.ts'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the plugin's own template
    'export default ({ name }: { name: string }) => `Hello, ${name}!`;\n',
  );
}

describe('the package', () => {
  it('holds what was built, its types, the shipped plugins and the documents, and nothing of the workshop', () => {
    for (const file of ['dist/core/index.js', 'dist/core/index.d.ts', 'dist/sandbox/worker.cjs', 'README.md'])
      expect(packed).toContain(file);
    expect(packed).toContain('plugins/calculator/schema.json');
    const strange = packed.filter((file) =>
      /^(test|core|sandbox|scripts|demo|\.)|\.test\.|tsconfig/.test(file),
    );
    expect(strange).toEqual([]);
  });

  it('runs the quickstart from the command line', async () => {
    await writeGreeting();
    expect((await glovebox('call', 'greet', '--args', '{"name": "Ada"}')).stdout).toBe('Hello, Ada!\n');
    expect((await glovebox('list')).stdout).toContain('greet');
  }, 60_000);

  it('is embedded by its exports, one for each adapter, with types', async () => {
    await writeGreeting();
    const code = `
      import { createHost } from 'glovebox';
      import { runAgent, runnableTools } from 'glovebox/openai';
      import { anthropicResult } from 'glovebox/anthropic';
      import { geminiResult } from 'glovebox/gemini';
      import { bindTools, toStandardSchema } from 'glovebox/standard-schema';
      for (const part of [runAgent, runnableTools, anthropicResult, geminiResult, bindTools, toStandardSchema])
        if (typeof part !== 'function') throw new Error('an export is missing');
      await using host = await createHost({ config: { plugins: './plugins', watch: false } });
      const result = await host.call({ name: 'greet', arguments: { name: 'Ada' } });
      console.log(result.content);
    `;
    await writeFile(path.join(project, 'agent.ts'), code);
    const { stdout } = await run(process.execPath, ['agent.ts'], { cwd: project });
    expect(stdout).toBe('Hello, Ada!\n');
    const compiler = path.join(checkout, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
    const types = ['--lib', 'es2024,dom,esnext.disposable', '--types', ''];
    await run(process.execPath, [compiler, ...flags, ...types, 'agent.ts'], { cwd: project }).catch(
      (error) => {
        throw new Error(String(error.stdout));
      },
    );
  }, 60_000);

  it('outlives that its files are replaced while a host runs: calls fail until they are back', async () => {
    await writeGreeting();
    const code = `
      import { readdirSync, readFileSync, renameSync } from 'node:fs';
      import { setTimeout as pause } from 'node:timers/promises';
      import { createHost } from 'glovebox';
      await using host = await createHost({ config: { plugins: ['./plugins'], watch: false, sandbox: { workers: 1 } } });
      const greet = () => host.call({ name: 'greet', arguments: { name: 'Ada' } });
      const children = () =>
        readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ').filter(Boolean).map(Number);
      const worker = 'node_modules/glovebox/dist/sandbox/worker.cjs';
      const answers = [(await greet()).ok];
      renameSync(worker, worker + '.away');
      for (let round = 0; round < 3; round += 1) {
        for (const pid of children()) process.kill(pid, 'SIGKILL');
        await pause(100);
      }
      answers.push((await greet()).ok);
      renameSync(worker + '.away', worker);
      let last = await greet();
      for (let tries = 0; tries < 50 && !last.ok; tries += 1) {
        await pause(100);
        last = await greet();
      }
      answers.push(last.ok);
      console.log(JSON.stringify(answers));`;
    await writeFile(path.join(project, 'replaced.js'), code);
    const { stdout } = await run(process.execPath, ['replaced.js'], { cwd: project });
    expect(JSON.parse(stdout)).toEqual([true, false, true]);
  }, 60_000);

  it("takes a newcomer's way: new, edit, call, check, attach to an agent", async () => {
    await glovebox('new', 'shout');
    const file = path.join(project, 'plugins/shout/index.ts');
    await writeFile(file, (await readFile(file, 'utf8')).replace(".join(' ')", ".join(' ').toUpperCase()"));
    const args = '{"text": "hi", "times": 2}';
    expect((await glovebox('call', 'shout', '--args', args)).stdout).toBe('HI HI\n');
    // The example in schema.json says what it answered before the edit, and that is told.
    await expect(glovebox('check')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('shout'),
    });
    await using model = await modelServer([
      {
        json: completion(
          { tool_calls: [{ id: 'c', type: 'function', function: { name: 'shout', arguments: args } }] },
          'tool_calls',
        ),
      },
      { json: completion({ content: 'It said HI HI.' }, 'stop') },
    ]);
    const agent = `
      import { createHost } from 'glovebox';
      import { runAgent } from 'glovebox/openai';
      import OpenAI from 'openai';
      await using host = await createHost();
      const client = new OpenAI({ apiKey: 'none', baseURL: '${model.client.baseURL}' });
      const messages = [{ role: 'user', content: 'Shout hi.' }] as const;
      const result = await runAgent({ client, model: 'm', host, messages, stream: false });
      console.log(result.text, result.events.filter(({ type }) => type === 'result').length);
    `;
    await writeFile(path.join(project, 'chat.ts'), agent);
    const { stdout } = await run(process.execPath, ['chat.ts'], { cwd: project });
    expect(stdout).toBe('It said HI HI. 1\n');
    expect(JSON.stringify(model.requests)).toContain('"content":"HI HI"');
  }, 120_000);

  it('serves the shipped plugins from where npm put them', async () => {
    const config = { plugins: ['./node_modules/glovebox/plugins'], watch: false };
    await writeFile(path.join(project, 'registry.config.json'), JSON.stringify(config));
    const { stdout } = await glovebox('call', 'calculator', '--args', '{"expression": "6*7"}');
    expect(stdout).toBe('42\n');
    expect(await readdir(project)).not.toContain('.cache');
    await rm(path.join(project, 'registry.config.json'));
  }, 60_000);
});
