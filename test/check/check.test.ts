import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, it } from 'vitest';
import { formatJson, runCheck } from '../../core/check/index.ts';
import { formatConfigProblems, readConfig } from '../../core/config/index.ts';
import { discover } from '../../core/plugin/discover.ts';
import { runCli } from '../cli/run-cli.ts';
import { answering, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';

interface Reported {
  readonly rule: string;
  readonly level: string;
  readonly plugin?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
  readonly fixable: boolean;
}

/** In this process: a command of its own for each case would take minutes. */
async function check(cwd: string, options: { readonly fix?: boolean; readonly record?: boolean } = {}) {
  const config = await readConfig(undefined, { cwd });
  if (!config.ok) throw new Error(formatConfigProblems(config));
  const [source] = config.config.plugins;
  if (source === undefined) throw new Error('a config without plugins');
  const { found } = await discover(source.dir);
  const targets = found.map((plugin) => ({ ...plugin, source }));
  const made = await runCheck({ config: config.config, targets, isAll: true, ...options });
  const report: { ok: boolean; findings: Reported[]; fixed: Reported[] } = JSON.parse(formatJson(made, cwd));
  return { ...report, of: (rule: string) => report.findings.filter((one) => one.rule === rule) };
}

const GOOD = {
  description:
    'Adds two numbers exactly. Use it for every sum. Not for other arithmetic. Example: {"a": 1, "b": 2}.',
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'The first, e.g. 1.' },
      b: { type: 'number', description: 'The second, e.g. 2.' },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  examples: [{ arguments: { a: 1, b: 2 }, result: 3 }],
};
const ADD = 'export default ({ a, b }) => a + b;\n';
const pretty = (schema: unknown) => JSON.stringify(schema, null, 2);

it('finds nothing wrong with a good plugin, and exits with 0', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, pretty(GOOD));
  const { code, stdout } = await runCli(['check'], { cwd: root.dir });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: '1 plugin checked: 0 errors, 0 warnings, 0 notes\n',
  });
});

it('tells all that is wrong with several plugins at once, each with its place and a fix', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(
    plugins,
    'add',
    ADD,
    pretty({ ...GOOD, examples: [{ arguments: { a: 1, b: 2 }, result: 4 }] }),
  );
  await writePlugin(plugins, 'broken_code', 'export default () =>\n  (;\n', pretty(GOOD));
  await writePlugin(plugins, 'broken_json', ADD, '{\n  "description": "x",\n  "parameters" {}\n}');
  await writePlugin(
    plugins,
    'wrong',
    ADD,
    pretty({ ...GOOD, examples: undefined, permissions: { net: ['no pattern at all'] } }),
  );
  const report = await check(root.dir);
  expect(report.ok).toBe(false);
  expect(report.findings.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({
      rule: 'examples',
      file: 'plugins/add/schema.json',
      line: 27,
      message: 'example 1 returns 3, not 4',
    }),
    expect.objectContaining({ rule: 'load', file: 'plugins/broken_code/index.js', line: 2, column: 4 }),
    expect.objectContaining({ rule: 'schema', file: 'plugins/broken_json/schema.json', line: 3 }),
    expect.objectContaining({
      rule: 'permissions',
      file: 'plugins/wrong/schema.json',
      line: 23,
      column: 7,
      message: expect.stringContaining('must be a method and a URL pattern'),
    }),
  ]);
  for (const { fix, line, column } of report.findings) {
    expect(fix).not.toBe('');
    expect(line * column).toBeGreaterThan(0);
  }
});

it.each([
  ['description/missing', { description: '' }],
  ['description/short', { description: 'Adds.' }],
  ['description/what', { name: 'add_numbers', description: 'Add numbers tool.' }],
  [
    'description/when',
    { description: 'Adds two numbers, and returns their sum. Not for products. Example: {"a": 1}.' },
  ],
  [
    'description/when-not',
    { description: 'Adds two numbers, and returns their sum. Use it for sums. Example: {"a": 1}.' },
  ],
  [
    'description/example',
    { description: 'Adds two numbers. Use it for sums, not for products at all.', examples: [] },
  ],
  ['description/long', { description: `${GOOD.description} ${'More. '.repeat(200)}` }],
  [
    'description/parameter',
    { parameters: { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false } },
  ],
  ['schema/open', { parameters: { ...GOOD.parameters, additionalProperties: undefined } }],
  [
    'schema/odd',
    {
      parameters: {
        ...GOOD.parameters,
        properties: { a: { type: 'float', description: 'One.' }, b: GOOD.parameters.properties.b },
      },
    },
  ],
])('warns of %s', async (rule, change) => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, pretty({ ...GOOD, ...change }));
  expect((await check(root.dir)).of(rule)).toMatchObject([{ level: 'warning', plugin: expect.any(String) }]);
});

it('takes a Chinese description for what it says', async () => {
  await using root = await temporaryRoot();
  const description = '精确计算两个数字的和。用于所有加法计算。不适用于乘法。例如：{"a": 1, "b": 2}';
  await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, pretty({ ...GOOD, description }));
  expect((await check(root.dir)).findings).toEqual([]);
});

it('warns of two tools that read alike, once, and of none that do not', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(plugins, 'add', ADD, pretty(GOOD));
  await writePlugin(
    plugins,
    'sum',
    ADD,
    pretty({ ...GOOD, description: GOOD.description.replace('Adds', 'Sums') }),
  );
  await writePlugin(
    plugins,
    'read',
    ADD,
    pretty({
      ...GOOD,
      description:
        'Reads the newest message of a mailbox. Use it when asked for mail. Not for sending. Example: {"a": 1}.',
    }),
  );
  const alike = (await check(root.dir)).of('description/alike');
  expect(alike).toMatchObject([
    {
      plugin: 'add',
      message: expect.stringMatching(/^the description reads like that of "sum" \(\d+ % alike\)/),
    },
  ]);
});

it('tells of many tools that read alike in one line that names a few', async () => {
  await using root = await temporaryRoot();
  for (let index = 0; index < 20; index += 1) {
    const description = GOOD.description.replace('two', String(index));
    await writePlugin(path.join(root.dir, 'plugins'), `add_${index}`, ADD, pretty({ ...GOOD, description }));
  }
  expect((await check(root.dir)).of('description/alike').map(({ message }) => message)).toEqual([
    'the description reads like those of "add_1", "add_10", "add_11" and 16 more: a model will take the wrong one',
  ]);
});

it('tells once what several providers have against a name or a number of tools', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins', 'math'), 'add', ADD, pretty(GOOD));
  expect((await check(root.dir)).of('portability/providers').map(({ message }) => message)).toEqual([
    'OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini: this name is refused; it is exported as math_add',
  ]);
});

it('warns of permissions that are too wide, unused, or lead to no tool', async () => {
  await using root = await temporaryRoot();
  const permissions = {
    net: ['https://*/*', 'http://example.com/*'],
    read: ['**'],
    env: ['API_KEY'],
    tools: ['*', 'mth.add'],
    storage: '1MB',
    secrets: {
      TOKEN: { header: 'authorization', value: `Bearer \${TOKEN}`, for: 'https://api.example.org' },
    },
  };
  const code = `export default async () => (await fetch('https://example.com')).text();`;
  await writePlugin(
    path.join(root.dir, 'plugins'),
    'add',
    code,
    pretty({ ...GOOD, examples: [], permissions }),
  );
  const report = await check(root.dir);
  expect(report.of('permissions/too-wide').map(({ message }) => message)).toEqual([
    '"https://*/*" allows every method, DELETE too',
    '"https://*/*" reaches every host',
    '"http://example.com/*" allows every method, DELETE too',
    '"http://example.com/*" is without encryption: anybody on the way reads and changes it',
    '"**" is everything there is to read',
    'API_KEY looks like a secret, and "env" shows its value to the plugin',
    '"*" lets it call every tool',
  ]);
  expect(report.of('permissions/unused').map(({ message }) => message)).toEqual([
    'it asks for "read", and its code uses nothing of the kind',
    'it asks for "env", and its code uses nothing of the kind',
    'it asks for "tools", and its code uses nothing of the kind',
    'it asks for "storage", and its code uses nothing of the kind',
  ]);
  expect(report.of('permissions/unknown')).toMatchObject([{ message: 'there is no tool "mth.add"' }]);
});

it('warns of grants that are for nobody, or for what was not asked', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, pretty(GOOD));
  const grants = { add: { storage: '1MB' }, ad: {} };
  const config = pretty({ plugins: [{ dir: './plugins', trust: 'granted', grants }] });
  await writeFile(path.join(root.dir, 'registry.config.json'), config);
  expect((await check(root.dir)).of('permissions/grant')).toMatchObject([
    { file: 'registry.config.json', line: 8, message: expect.stringContaining('does not ask for') },
    { file: 'registry.config.json', line: 10, message: expect.stringContaining('there is no plugin "ad"') },
  ]);
});

it('tells that an example needs what a check does not have, and runs it once that is recorded', async () => {
  await using root = await temporaryRoot();
  const server = createServer((_request, response) => response.end('42'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const code = `export default async () => Number(await (await fetch('${origin}/number')).text());`;
  const schema = {
    ...GOOD,
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    permissions: { net: [`GET ${origin}/*`] },
    examples: [{ arguments: {}, result: 42 }],
  };
  await writePlugin(path.join(root.dir, 'plugins'), 'number', code, pretty(schema));
  const before = await check(root.dir);
  expect(before.ok).toBe(true);
  expect(before.of('examples/not-run')).toMatchObject([
    { level: 'warning', message: expect.stringContaining(`GET ${origin}/number`) },
  ]);
  expect((await check(root.dir, { record: true })).of('examples/not-run')).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
  expect((await check(root.dir)).findings).toEqual([]);
});

it('lets an example write nowhere but in a temporary directory, and call the other tools', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'plugins');
  await writePlugin(plugins, 'add', ADD, pretty(GOOD));
  const code = `import { writeFile } from 'node:fs/promises';
    export default async ({ a, b }, ctx) => {
      await writeFile('./out/x.txt', 'written');
      return (await ctx.tools.call('add', { a, b })).value;
    };`;
  const schema = {
    ...GOOD,
    description: `Writes a sum. ${GOOD.description} It is kept in a file.`,
    permissions: { write: ['./out/**'], tools: ['add'] },
  };
  const dir = await writePlugin(plugins, 'writer', code, pretty(schema));
  await mkdir(path.join(dir, 'fixtures/files/out'), { recursive: true });
  await writeFile(path.join(dir, 'fixtures/files/out/keep'), '');
  const report = await check(root.dir);
  expect(report.findings.filter(({ rule }) => rule.startsWith('examples'))).toEqual([]);
  await expect(stat(path.join(root.dir, 'out'))).rejects.toThrow(/ENOENT/);
});

it('takes an example whose call was not permitted for an error, for schema.json does not ask for it', async () => {
  await using root = await temporaryRoot();
  const code = `export default async () => (await fetch('https://example.com/x')).text();`;
  await writePlugin(path.join(root.dir, 'plugins'), 'add', code, pretty(GOOD));
  expect((await check(root.dir)).of('examples')).toMatchObject([
    { level: 'error', message: expect.stringContaining('permission_denied') },
  ]);
});

it('checks the types of TypeScript, with the schema.d.ts that is yet to be written', async () => {
  await using root = await temporaryRoot();
  const dir = path.join(root.dir, 'plugins', 'add');
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'schema.json'), pretty(GOOD));
  const code = `import type { Arguments } from './schema.d.ts';
export default ({ a, b }: Arguments) => a + b;
`;
  await writeFile(path.join(dir, 'index.ts'), code);
  const fresh = await check(root.dir);
  expect(fresh.findings).toMatchObject([{ rule: 'types/missing', level: 'note' }]);

  await writeFile(path.join(dir, 'index.ts'), code.replace('{ a, b }', '{ a, c }').replace('a + b', 'a + c'));
  expect((await check(root.dir)).of('types')).toMatchObject([
    { file: 'plugins/add/index.ts', line: 2, column: 22, message: expect.stringContaining("'c'") },
  ]);
});

it('says which package has the types of what Node and plugins share', async () => {
  await using root = await temporaryRoot();
  const compilerOptions = { module: 'nodenext', strict: true, types: [] };
  await writeFile(path.join(root.dir, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const code = `import path from 'node:path';
export default ({ a, b }: { a: number; b: number }) => path.join('x', '..').length + a + b;
`;
  const dir = path.join(root.dir, 'plugins', 'add');
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'schema.json'), pretty(GOOD));
  await writeFile(path.join(dir, 'index.ts'), code);
  expect((await check(root.dir)).of('types')).toMatchObject([
    { line: 1, message: expect.stringContaining("'node:path'"), fix: expect.stringContaining('@types/node') },
  ]);
});

it('takes a schema.d.ts that is not what schema.json makes for an error, and leaves it as it is', async () => {
  await using root = await temporaryRoot();
  const dir = await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, pretty(GOOD));
  await writeFile(path.join(dir, 'schema.d.ts'), '// old\n');
  const report = await check(root.dir);
  expect(report.ok).toBe(false);
  expect(report.of('types/stale')).toMatchObject([{ file: 'plugins/add/schema.d.ts', fixable: true }]);
  expect(await readFile(path.join(dir, 'schema.d.ts'), 'utf8')).toBe('// old\n');
  expect(await check(root.dir, { fix: true })).toMatchObject({
    ok: true,
    findings: [],
    fixed: [{ rule: 'types/stale' }],
  });
  expect(await readFile(path.join(dir, 'schema.d.ts'), 'utf8')).toContain('interface Arguments');
});

it('fixes what is safe in schema.json, and keeps the rest of the text as it was', async () => {
  await using root = await temporaryRoot();
  const text = `{
    "description": "${GOOD.description.replaceAll('"', '\\"')}",

    "parameters": {
        "type": "object",
        "properties": {
            "a": { "type": "float", "description": "One, e.g. 1.", "required": true },
            "b": { "type": "int",   "description": "Two, e.g. 2.", "nullable": true }
        }
    }
}
`;
  const dir = await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, text);
  const report = await check(root.dir, { fix: true });
  expect(report.findings).toEqual([]);
  expect(report.fixed).toHaveLength(5);
  expect(await readFile(path.join(dir, 'schema.json'), 'utf8')).toBe(
    text
      .replace(
        '"float", "description": "One, e.g. 1.", "required": true',
        '"number", "description": "One, e.g. 1."',
      )
      .replace('"int"', '["integer","null"]')
      .replace(', "nullable": true', '')
      .replace(
        '        }\n    }\n}',
        '        },\n        "required": [\n            "a"\n        ],\n        "additionalProperties": false\n    }\n}',
      ),
  );
});

it("edits no stranger's file", async () => {
  await using root = await temporaryRoot();
  const schema = pretty({ ...GOOD, parameters: { ...GOOD.parameters, additionalProperties: undefined } });
  const dir = await writePlugin(path.join(root.dir, 'plugins'), 'add', ADD, schema);
  const config = { plugins: [{ dir: './plugins', trust: 'granted' }] };
  await writeFile(path.join(root.dir, 'registry.config.json'), JSON.stringify(config));
  const { stdout } = await runCli(['check', '--fix'], { cwd: root.dir });
  expect(stdout).toMatch(/not fixed plugins\/add\/schema\.json:.*what was consented to/);
  expect(await readFile(path.join(dir, 'schema.json'), 'utf8')).toBe(schema);
});

it('annotates a pull request with --format github', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'bad', 'export default () =>\n  (;\n', pretty(GOOD));
  const { code, stdout } = await runCli(['check', '--format', 'github'], {
    cwd: root.dir,
    env: { GITHUB_WORKSPACE: root.dir },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^::error file=plugins\/bad\/index\.js,line=2,col=4,title=glovebox load::.+%0AFix: .+$/m,
  );
});

it('checks one plugin, a folder, or a project by its directory; with --strict warnings fail it', async () => {
  await using root = await temporaryRoot();
  const plugins = path.join(root.dir, 'project', 'plugins');
  await writePlugin(plugins, 'add', ADD, pretty(GOOD));
  await writePlugin(path.join(plugins, 'group'), 'short', ADD, pretty({ ...GOOD, description: 'Short.' }));
  await writeFile(path.join(root.dir, 'project', 'registry.config.json'), '{}');
  const count = async (dir: string, ...more: string[]) => {
    const { code, stdout } = await runCli(['check', dir, ...more], { cwd: root.dir });
    return `${code} ${/^\d+ plugins?/m.exec(stdout)?.[0]}`;
  };
  expect(
    await Promise.all([
      count('project'),
      count('project/plugins'),
      count('project/plugins/group'),
      count('project/plugins/group/short', '--strict'),
    ]),
  ).toEqual(['0 2 plugins', '0 2 plugins', '0 1 plugin', '1 1 plugin']);
}, 90_000);

it('exits with 2 where there is nothing to check', async () => {
  await using root = await temporaryRoot();
  await mkdir(path.join(root.dir, 'empty'));
  for (const [dir, reason] of [
    ['empty', /there is no plugin in empty/],
    ['nowhere', /there is no directory/],
  ] as const) {
    const { code, stderr } = await runCli(['check', dir], { cwd: root.dir });
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
  }
});

it('lets no text of a plugin steer the terminal', async () => {
  await using root = await temporaryRoot();
  const name = 'a\u001b[2Jb';
  const schema = {
    ...GOOD,
    parameters: { type: 'object', properties: { [name]: { type: 'fl\u001b[31moat' } } },
  };
  await writePlugin(path.join(root.dir, 'plugins'), 'add', answering('x'), JSON.stringify(schema));
  const { stdout, stderr } = await runCli(['check'], { cwd: root.dir });
  expect(stdout + stderr).not.toContain('\u001b');
});
