import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const schema = (description: string) => ({
  description,
  parameters: {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  },
});

let root: Awaited<ReturnType<typeof temporaryRoot>>;
beforeAll(async () => {
  root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(plugins, 'good', 'export default () => 1;', schema('Does good. And more.'));
  await writePlugin(plugins, 'sneaky', 'export default () => 1;', schema('Clears \u001b[2J the screen.'));
  await writePlugin(plugins, 'bad', 'export default () =>\n  (;', schema('Can not be parsed.'));
});
afterAll(() => root[Symbol.asyncDispose]());

const list = (args: readonly string[] = [], options: Partial<CliOptions> = {}) =>
  runCli(['list', ...args], { cwd: root.dir, ...options });

describe('glovebox list', () => {
  it('shows each tool with its first sentence, and a broken one with file and line', async () => {
    const { code, stdout } = await list();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^good +ready +[0-9a-f]{8} +Does good\.$/m);
    expect(stdout).toMatch(/^bad +broken/m);
    expect(stdout).toMatch(/^ {2}plugins\/bad\/index\.js:2:/m);
    expect(stdout).toMatch(/\d+ ready, 1 broken/);
  });

  it('shows no escape sequence: neither its own, off a terminal, nor one of a plugin', async () => {
    const { stdout } = await list();
    expect(stdout).toMatch(/^sneaky .* Clears the screen\.$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('gives programs everything as JSON', async () => {
    const { stdout } = await list(['--format', 'json']);
    const entries: unknown = JSON.parse(stdout);
    expect(entries).toContainEqual(
      expect.objectContaining({
        name: 'good',
        state: 'ready',
        parameters: expect.objectContaining({ required: ['a'] }),
        limits: expect.objectContaining({ timeoutMs: 5000 }),
      }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({
        name: 'bad',
        state: 'broken',
        problems: [expect.objectContaining({ file: 'index.js', line: 2 })],
      }),
    );
  });

  it.each(['openai', 'responses', 'anthropic', 'gemini', 'mcp'])(
    'gives the tools that can be called as %s takes them',
    async (format) => {
      const { code, stdout } = await list(['--format', format]);
      expect(code).toBe(0);
      expect(Array.isArray(JSON.parse(stdout))).toBe(true);
      expect(stdout).toContain('"good"');
      expect(stdout).not.toContain('"bad"');
    },
  );

  it('makes schemas strict with --strict', async () => {
    const { stdout } = await list(['--format', 'openai', '--strict']);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ function: expect.objectContaining({ name: 'good', strict: true }) }),
    );
  });

  it.each([
    [['--format', 'xml'], /json, openai, responses, anthropic, gemini, mcp/],
    [['--strict'], /--strict/],
  ])('refuses %j and says what there is', async (args, reason) => {
    const { code, stdout, stderr } = await list(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('ends quietly when its reader goes away', async () => {
    const bin = path.join(import.meta.dirname, '../../bin/glovebox.js');
    const child = spawn(process.execPath, [bin, 'list', '--format', 'json'], { cwd: root.dir });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
