import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, temporaryDirectory, writeFiles } from '../plugin/temporary-plugin.ts';
import { runCli } from './run-cli.ts';

async function folder(files: Files) {
  const root = await temporaryDirectory();
  await writeFiles(root.dir, files);
  const run = (...args: string[]) => runCli(args, { cwd: root.dir });
  const read = (name: string) => readFile(path.join(root.dir, name), 'utf8');
  return { dir: root.dir, run, read, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

const WEATHER = `
/** Forecasts the weather. */
export default (args: { /** Where */ city: string; units?: 'c' | 'f' }) => args;
`;

describe('glovebox schema', () => {
  it('prints the schema of a function, and nothing else on stdout', async () => {
    await using made = await folder({ 'weather.ts': WEATHER });
    const { code, stdout, stderr } = await made.run('schema', 'weather.ts');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      description: 'Forecasts the weather.',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where' },
          units: { type: 'string', enum: ['c', 'f'] },
        },
        required: ['city'],
        additionalProperties: false,
      },
    });
  });

  it('writes it with --write, keeps what code does not say, and the plugin runs', async () => {
    await using made = await folder({
      'plugins/weather/index.ts': WEATHER,
      'plugins/weather/schema.json':
        '{"description": "Old.", "parameters": {}, "permissions": {"storage": "1MB"}}',
    });
    const { code, stdout } = await made.run('schema', 'plugins/weather/index.ts', '--write');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'plugins/weather/schema.json\n' });
    expect(JSON.parse(await made.read('plugins/weather/schema.json'))).toMatchObject({
      description: 'Forecasts the weather.',
      parameters: { required: ['city'] },
      permissions: { storage: '1MB' },
    });
    expect(await made.run('call', 'weather', '--args', '{"city": "Oslo"}')).toMatchObject({ code: 0 });
  });

  it('takes what a file exports as zod or JSON Schema', async () => {
    await using made = await folder({
      'p/index.js':
        "export const parameters = { type: 'object', properties: { a: { type: 'integer' } } };\n/** Does. */\nexport default (args) => args;",
    });
    const { stdout } = await made.run('schema', 'p/index.js');
    expect(JSON.parse(stdout)).toMatchObject({
      description: 'Does.',
      parameters: { properties: { a: { type: 'integer' } } },
    });
  });

  it.each([
    ['a type that is not there', 'bad.ts', 1, /bad\.ts:2:\d+: .*Nowhere/],
    ['several functions', 'many.ts', 1, /many\.ts.*one, two/],
    ['no file', 'nowhere.ts', 2, /no file nowhere\.ts/],
  ])('says where it fails on %s', async (_what, file, expected, reason) => {
    await using made = await folder({
      'bad.ts': '\nexport default (args: { a: Nowhere }) => 1;',
      'many.ts': 'export const one = (a: string) => a;\nexport const two = (a: string) => a;',
    });
    const { code, stdout, stderr } = await made.run('schema', file);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('writes no schema for a function that no plugin can be, and keeps a schema.json that is broken', async () => {
    await using made = await folder({
      'add/index.ts': 'export default (a: number, b: number) => a + b;',
      'broken/index.ts': WEATHER,
      'broken/schema.json': '{"description": ',
    });
    expect(await made.run('schema', 'add/index.ts', '--write')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('glovebox new'),
    });
    await expect(stat(path.join(made.dir, 'add/schema.json'))).rejects.toThrow('ENOENT');
    expect(await made.run('schema', 'broken/index.ts', '--write')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/schema\.json:1:/),
    });
    expect(await made.read('broken/schema.json')).toBe('{"description": ');
  });
});

describe('glovebox types', () => {
  const SCHEMA =
    '{"description": "Does.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}';

  it("writes the types of every plugin, once, and leaves strangers' folders alone", async () => {
    await using made = await folder({
      'registry.config.json': '{"plugins": ["./plugins", {"dir": "./strangers", "trust": "granted"}]}',
      'plugins/one/schema.json': SCHEMA,
      'plugins/group/two/schema.json': SCHEMA,
      'plugins/code/index.ts': WEATHER,
      'strangers/three/schema.json': SCHEMA,
    });
    expect(await made.run('types')).toMatchObject({ code: 0, stderr: expect.stringContaining('3 written') });
    expect(await made.read('plugins/group/two/schema.d.ts')).toMatch(/city\?: string/);
    expect(await made.read('plugins/code/schema.d.ts')).toMatch(/interface Context/);
    await expect(stat(path.join(made.dir, 'strangers/three/schema.d.ts'))).rejects.toThrow('ENOENT');
    expect(await made.run('types')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('0 written, 3 up to date'),
    });
  });

  it('takes one plugin or one folder, tells what is broken and writes the rest', async () => {
    await using made = await folder({
      'a/good/schema.json': SCHEMA,
      'a/bad/schema.json': '{"description": "x", "para',
    });
    expect(await made.run('types', 'a/good')).toMatchObject({ code: 0 });
    const { code, stderr } = await made.run('types', 'a');
    expect(code).toBe(1);
    expect(stderr).toMatch(/a\/bad: schema\.json:1:/);
    expect(await made.run('types', 'nowhere')).toMatchObject({ code: 2 });
    await mkdir(path.join(made.dir, 'empty'));
    expect(await made.run('types', 'empty')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no plugin'),
    });
    await writeFile(path.join(made.dir, 'a/good/schema.d.ts'), 'stale');
    expect(await made.run('types', 'a/good')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 written'),
    });
  });
});
