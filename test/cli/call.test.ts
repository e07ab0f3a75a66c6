import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const ECHO = {
  description: 'Says what it is told. Use it in tests.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
};
const NO_ARGUMENTS = { description: 'Takes nothing.', parameters: { type: 'object', properties: {} } };

let root: Awaited<ReturnType<typeof temporaryRoot>>;
beforeAll(async () => {
  root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(plugins, 'echo', 'export default ({ text }) => text;', ECHO);
  await writePlugin(
    plugins,
    'noisy',
    'export default () => { console.log("\\u001b[2Jlogged"); return "said"; };',
    NO_ARGUMENTS,
  );
  await writePlugin(plugins, 'fails', 'export default () => { throw new Error("no luck"); };', NO_ARGUMENTS);
  await writePlugin(plugins, 'broken', 'export default () => {', NO_ARGUMENTS);
});
afterAll(() => root[Symbol.asyncDispose]());

const glovebox = (args: readonly string[], options: Partial<CliOptions> = {}) =>
  runCli(args, { cwd: root.dir, ...options });

describe('glovebox call', () => {
  it('prints the content on stdout, nothing else there, and exits with 0', async () => {
    expect(await glovebox(['call', 'noisy'])).toMatchObject({ code: 0, stdout: 'said\n' });
  });

  it('sends what the tool logs to stderr, without its escape sequences', async () => {
    const { stderr } = await glovebox(['call', 'noisy']);
    expect(stderr).toContain('logged');
    expect(stderr).not.toContain('\u001b');
  });

  it('takes the arguments as JSON, from a file and from stdin', async () => {
    const json = '{"text": "grüß dich"}';
    await writeFile(path.join(root.dir, 'arguments.json'), json);
    const results = await Promise.all([
      glovebox(['call', 'echo', '--args', json]),
      glovebox(['call', 'echo', '--args', '@arguments.json']),
      glovebox(['call', 'echo', '-'], { stdin: json }),
    ]);
    for (const result of results) expect(result).toMatchObject({ code: 0, stdout: 'grüß dich\n' });
  });

  it('prints the whole result with --json', async () => {
    const { code, stdout } = await glovebox(['call', 'echo', '--json', '--args', '{"text": "a"}']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      content: 'a',
      value: 'a',
      tool: { name: 'echo' },
      usage: { wallMs: expect.any(Number) },
    });
  });

  it.each([
    [['call', 'fails'], 'tool_error'],
    [['call', 'echo', '--args', '{"txt": "a"}'], 'invalid_arguments'],
    [['call', 'echo', '--args', '{"text": '], 'truncated_arguments'],
    [['call', 'nothing'], 'unknown_tool'],
    [['call', 'broken'], 'plugin_unavailable'],
  ])('exits with 1 and explains on stdout when the call fails: %j', async (args, code) => {
    const [plain, json] = await Promise.all([glovebox(args), glovebox([...args, '--json'])]);
    expect(plain).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Error: /) });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code } });
  });

  it.each([
    [['call'], /name/],
    [['call', 'echo', '--args', '@missing.json'], /missing\.json.*ENOENT/],
    [['call', 'echo', 'stray'], /stray/],
    [['call', 'echo', '-', '--args', '{}'], /once/],
    [['call', 'echo', '--args', '{}', '--args', '{}'], /twice/],
    [['call', 'echo', '--arguments', '{}'], /unknown option/],
    [['cal', 'echo'], /Did you mean call/],
    [['call', 'echo', '--config', 'missing.json'], /missing\.json: there is no such file/],
    [['list', '--config', 'a.json', '--config', 'b.json'], /twice/],
  ])('exits with 2 and says on stderr what is wrong with the command line %j', async (args, reason) => {
    const { code, stdout, stderr } = await glovebox(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('exits with 2 for a wrong config, naming the line, the key and the known keys', async () => {
    await writeFile(path.join(root.dir, 'wrong.json'), '{\n  "plugin": "./plugins"\n}');
    const { code, stderr } = await glovebox(['call', 'echo', '--config', 'wrong.json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /wrong\.json:2:3: plugin is not a known key\. Did you mean "plugins"\? Known here: .*limits/,
    );
  });

  it('uses the config of the working directory', async () => {
    await using other = await temporaryRoot();
    await writePlugin(path.join(other.dir, 'tools'), 'here', 'export default () => "yes";', NO_ARGUMENTS);
    await writeFile(path.join(other.dir, 'registry.config.json'), '{"plugins": "tools"}');
    expect(await glovebox(['call', 'here'], { cwd: other.dir })).toMatchObject({ code: 0, stdout: 'yes\n' });
  });
});
