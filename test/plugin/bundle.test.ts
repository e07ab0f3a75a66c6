import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type BundleResult, bundlePlugin } from '../../core/plugin/bundle.ts';
import { createLocator } from '../../core/plugin/source-positions.ts';
import { type Files, temporaryDirectory, writeFiles } from './temporary-plugin.ts';

interface BundleCase {
  readonly entry?: string;
  readonly packagesAbove?: boolean;
}

/** Bundles the files as `<root>/tools/it`; names with `../` land outside the plugin. */
async function bundle(files: Files, options: BundleCase = {}): Promise<BundleResult> {
  await using root = await temporaryDirectory();
  const dir = path.join(root.dir, 'tools', 'it');
  await writeFiles(dir, files);
  return await bundlePlugin({
    dir,
    entry: options.entry ?? 'index.ts',
    packagesAbove: options.packagesAbove ?? true,
  });
}

function good(result: BundleResult): Extract<BundleResult, { ok: true }> {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

/** Runs a bundle's default export in a bare context, with the little that the case needs. */
async function run(result: BundleResult, globals: object = {}): Promise<unknown> {
  const context = vm.createContext({ console, TextEncoder, TextDecoder, queueMicrotask, ...globals });
  return vm.runInContext(`(function () {\n${good(result).code}\n;return __plugin.default();\n})()`, context, {
    filename: 'plugin.js',
    lineOffset: -1,
  });
}

function messages(result: BundleResult): string[] {
  return result.ok ? [] : result.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe('bundlePlugin', () => {
  it('bundles TypeScript, sibling files, JSON, text and a dynamic import of a known file', async () => {
    const result = await bundle({
      'index.ts': `
        import type { Missing } from './schema.d.ts';
        import { twice } from './lib/twice.ts';
        import table from './table.json';
        import note from './note.txt';
        enum Colour { Red = 'red' }
        export default async (args: Missing) => [twice(table.n), note, Colour.Red, (await import('./late.js')).late];`,
      'lib/twice.ts': 'export const twice = (n: number): number => n * 2;',
      'table.json': '{"n":21}',
      'note.txt': 'hello',
      'late.js': 'export const late = true;',
    });
    expect(await run(result)).toEqual([42, 'hello', 'red', true]);
    expect([...good(result).inputs.keys()]).toEqual([
      'index.ts',
      'late.js',
      'lib/twice.ts',
      'note.txt',
      'table.json',
    ]);
  });

  it('takes the default export of CommonJS', async () => {
    const result = await bundle({ 'index.js': 'module.exports = () => "common";' }, { entry: 'index.js' });
    expect(await run(result)).toBe('common');
  });

  it('takes packages of its own node_modules, by their browser field and their conditions', async () => {
    const result = await bundle({
      'index.ts': `
        import mapped from 'mapped'; import conditional from 'conditional'; import optional from 'optional';
        export default () => [mapped, conditional, optional];`,
      'node_modules/mapped/package.json':
        '{"name":"mapped","main":"main.js","browser":{"http":false,"./node.js":"./web.js"}}',
      'node_modules/mapped/main.js': 'module.exports = [Object.keys(require("http")), require("./node.js")];',
      'node_modules/mapped/node.js': 'module.exports = "node";',
      'node_modules/mapped/web.js': 'module.exports = "web";',
      'node_modules/conditional/package.json':
        '{"name":"conditional","exports":{"worker":"./worker.js","node":"./node.js","default":"./other.js"}}',
      'node_modules/conditional/worker.js': 'export default "worker";',
      'node_modules/optional/package.json': '{"name":"optional"}',
      'node_modules/optional/index.js':
        'let found = "nothing"; try { require("not-installed"); require("child_process"); found = "something"; } catch {} module.exports = found;',
    });
    expect(await run(result)).toEqual([[[], 'web'], 'worker', 'nothing']);
  });

  it('takes packages from the folders above for declared plugins only, linked ones too', async () => {
    const files = {
      'index.ts': "import { above } from 'above'; export default () => above;",
      '../../node_modules/above/package.json': '{"name":"above","type":"module","main":"index.js"}',
      '../../node_modules/above/index.js': "export { above } from './part.js';",
      '../../node_modules/above/part.js': 'export const above = "from above";',
    };
    const declared = await bundle(files);
    expect(await run(declared)).toBe('from above');
    expect([...good(declared).inputs.keys()]).toContain('../../node_modules/above/part.js');
    expect(good(declared).outside).toHaveLength(2);
    expect(messages(await bundle(files, { packagesAbove: false }))).toEqual([
      'index.ts:1: the package "above" is outside the plugin\'s directory: a stranger\'s plugin brings its own node_modules',
    ]);

    await using root = await temporaryDirectory();
    const dir = await writeFiles(path.join(root.dir, 'it'), {
      'index.ts': "export { default } from '@scope/linked';",
    });
    await writeFiles(path.join(root.dir, 'elsewhere'), {
      'package.json': '{"name":"@scope/linked"}',
      'index.js': 'module.exports = () => "linked";',
    });
    await mkdir(path.join(root.dir, 'node_modules/@scope'), { recursive: true });
    await symlink('../../elsewhere', path.join(root.dir, 'node_modules/@scope/linked'));
    expect(await run(await bundlePlugin({ dir, entry: 'index.ts', packagesAbove: true }))).toBe('linked');
    expect(await bundlePlugin({ dir, entry: 'index.ts', packagesAbove: false })).toMatchObject({ ok: false });
  });

  it.each([
    ['a path upwards', "import '../../outside.js';"],
    ['an absolute path', "import '/etc/hostname.txt';"],
    ['a require of a path upwards', "require('../../outside.js');"],
    ['a file URL', "import 'file:///etc/hosts';"],
    ['an address', "import 'https://example.com/x.js';"],
    ['a link', "import './link.js';"],
    ['a linked folder', "import './folder/outside.js';"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the plugin's code
    ['a computed path', "const at = 'outside'; globalThis.x = () => import(`../../${at}.js`);"],
    ['a computed require', "const at = 'outside'; globalThis.x = () => require('../../' + at + '.js');"],
    ['a path that its package.json maps', "import 'mapped';"],
    ['an import that its package.json maps', "import '#mapped';"],
    ['a path that its tsconfig maps', "import 'configured';"],
    ['a way out through its node_modules', "import 'leading-out';"],
  ])('refuses %s out of the directory, at its place', async (_what, code) => {
    await using root = await temporaryDirectory();
    const dir = await writeFiles(path.join(root.dir, 'tools/it'), {
      'index.ts': `${code}\nexport default () => 1;\n`,
      '../../outside.js': 'globalThis.secret = "CANARY"; export default "CANARY";',
      'package.json': '{"browser":{"mapped":"../../outside.js"},"imports":{"#mapped":"../../outside.js"}}',
      'tsconfig.json':
        '{"extends":"../../outside.js","compilerOptions":{"baseUrl":"../..","paths":{"configured":["outside.js"]}}}',
      'node_modules/leading-out/package.json': '{"main":"../../../../outside.js"}',
    });
    await symlink('../../outside.js', path.join(dir, 'link.js'));
    await symlink('../..', path.join(dir, 'folder'));
    for (const packagesAbove of [true, false]) {
      const result = await bundlePlugin({ dir, entry: 'index.ts', packagesAbove });
      expect(result).toMatchObject({ ok: false });
      expect(messages(result)[0]).toMatch(/outside|leads out|can't be imported|not installed|can't work/);
    }
  });

  it.each([
    [
      "import net from 'node:net';\nnet.connect(1);",
      'index.ts:1: "node:net" can\'t work in a plugin: a plugin has no sockets; use fetch',
    ],
    [
      "\nimport { spawn } from 'child_process';\nspawn('x');",
      'index.ts:2: "child_process" can\'t work in a plugin: a plugin can start no process',
    ],
    [
      "import { Worker } from 'worker_threads';\nnew Worker('x');",
      'index.ts:1: "worker_threads" can\'t work in a plugin: a plugin can start no thread',
    ],
    [
      "import { readFileSync } from 'node:fs';\nreadFileSync('x');",
      'index.ts:1: "node:fs" has no "readFileSync" in a plugin: use node:fs/promises',
    ],
    [
      "import './addon.node';",
      'index.ts:1: "addon.node" can\'t work in a plugin: native code and WebAssembly are not there',
    ],
    [
      "import './code.wasm';",
      'index.ts:1: "code.wasm" can\'t work in a plugin: native code and WebAssembly are not there',
    ],
    [
      'await Promise.resolve();',
      "index.ts:1: top-level await can't work in a plugin: await inside the function",
    ],
    [
      "const at = 'x';\nglobalThis.load = () => import(at);",
      "index.ts:2: an import of a computed path can't work in a plugin",
    ],
    [
      "const at = 'x';\nglobalThis.load = () => require(at);",
      "index.ts:2: a require of a computed path can't work in a plugin",
    ],
    [
      "import 'lodash-of-nowhere';",
      'index.ts:1: the package "lodash-of-nowhere" is not installed: run "npm install lodash-of-nowhere" in the plugin\'s directory',
    ],
    ["import './nowhere.js';", 'index.ts:1: there is no file "./nowhere.js"'],
    [
      "import './picture.png';",
      'picture.png:undefined: a file ".png" can\'t be imported: code, JSON and text can',
    ],
  ])('says at load that %j cannot work', async (code, message) => {
    const result = await bundle({
      'index.ts': `${code}\nexport default () => 1;\n`,
      'addon.node': '',
      'code.wasm': '',
      'picture.png': '',
    });
    const [first = ''] = messages(result);
    if (message.includes('picture')) expect(first).toContain("can't be imported: code, JSON and text can");
    else expect(first).toBe(message);
  });

  it('gives the pure built-ins, and hands the file system and process of the guest on', async () => {
    const result = await bundle({
      'index.ts': `
        import assert from 'node:assert'; import { Buffer } from 'buffer'; import EventEmitter from 'node:events';
        import path from 'node:path'; import querystring from 'querystring'; import { StringDecoder } from 'string_decoder';
        import { format, inspect } from 'node:util'; import { readFile } from 'node:fs/promises';
        import { promises } from 'node:fs'; import process from 'node:process';
        import { Readable, Transform, pipeline } from 'node:stream'; import { pipeline as piped } from 'node:stream/promises';
        export default async () => {
          assert.deepStrictEqual({ a: 1 }, { a: 1 });
          const heard: string[] = [];
          new EventEmitter().on('x', (text) => heard.push(text)).emit('x', 'heard');
          const upper = new Transform({ transform(part, _encoding, done) { done(null, String(part).toUpperCase()); } });
          const parts: string[] = [];
          upper.on('data', (part) => parts.push(String(part)));
          await piped(Readable.from(['ab', 'cd']), upper);
          return [Buffer.from('hi').toString('base64'), heard[0], path.join('a', '..', 'b'), querystring.parse('a=1').a,
            new StringDecoder('utf8').write(Buffer.from('é')), format('%s', 1), await readFile('f'), promises.readFile === readFile,
            process.env.TZ, parts.join(''), typeof pipeline];
        };`,
    });
    const files = { readFile: async (name: string) => `content of ${name}` };
    const globals = {
      [Symbol.for('glovebox.fs')]: files,
      [Symbol.for('glovebox.process')]: {
        env: { TZ: 'UTC' },
        nextTick: (run: () => void, ...rest: []) => queueMicrotask(() => run(...rest)),
      },
      AbortController,
      Blob,
      atob,
      btoa,
      AbortSignal,
      setTimeout,
    };
    expect(await run(result, globals)).toEqual([
      'aGk=',
      'heard',
      'b',
      '1',
      'é',
      '1',
      'content of f',
      true,
      'UTC',
      'ABCD',
      'function',
    ]);
  });

  it('refuses a pipe under the name of a source file, and a source file that is too large', async () => {
    await using root = await temporaryDirectory();
    const dir = await writeFiles(root.dir, { 'index.ts': "import './pipe.js'; export default 1;" });
    execFileSync('mkfifo', [path.join(dir, 'pipe.js')]);
    expect(messages(await bundlePlugin({ dir, entry: 'index.ts', packagesAbove: false }))[0]).toContain(
      'no regular file',
    );
    const large = await bundle({
      'index.ts': `export default () => ${JSON.stringify('x'.repeat(1024 * 1024))};`,
    });
    expect(messages(large)[0]).toContain('a source file may have 1048576');
  });

  it.each([
    ['brackets', '['.repeat(400_000)],
    ['prefix operators', '!'.repeat(900_000)],
    ['spaced prefix operators', '! '.repeat(450_000)],
  ])('refuses code nested by %s before any parser sees it', async (_what, text) => {
    const result = await bundle({ 'index.ts': `export default ${text}1;` });
    expect(messages(result)[0]).toContain('it nests deeper than 5000');
  });

  it('survives code that ends the bundler, and so do the builds beside it', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, {
      'bomb/index.js': `export default ${'x=>'.repeat(340_000)}1;`,
      'fine/index.js': 'export default () => "fine";',
      'run.ts': `
        import { bundlePlugin } from ${JSON.stringify(path.resolve('core/plugin/bundle.ts'))};
        const build = async (name) => (await bundlePlugin({ dir: import.meta.dirname + '/' + name, entry: 'index.js', packagesAbove: false }));
        const results = await Promise.all(['bomb', 'fine', 'fine'].map(build));
        results.push(await build('fine'));
        console.log(JSON.stringify(results.map((result) => result.ok || result.problems[0].message)));`,
    });
    // In a process of its own: a bundler that falls over writes megabytes to stderr.
    const output = execFileSync(process.execPath, [path.join(root.dir, 'run.ts')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(JSON.parse(String(output))).toEqual([
      'bundling it ended the bundler: is the code nested very deeply, or does it expand to something very large?',
      true,
      true,
      true,
    ]);
  });

  it('is the same bytes for the same files', async () => {
    const files = { 'index.ts': "import './a.js'; export default () => 1;", 'a.js': 'globalThis.a = 1;' };
    const [one, other] = [good(await bundle(files)), good(await bundle(files))];
    expect(one.code).toBe(other.code);
    expect(one.inputs).toEqual(other.inputs);
  });

  it('warns of what esbuild finds odd in the plugin, with the place', async () => {
    const result = await bundle({ 'index.ts': '\nexport default () => import.meta.url;' });
    expect(good(result).warnings).toMatchObject([
      { message: expect.stringMatching(/^index\.ts:2: .*import\.meta/) },
    ]);
  });
});

describe('createLocator', () => {
  it('finds the top frame in the plugin, else in a package, and nothing in other texts', async () => {
    const result = await bundle({
      'index.ts':
        "import { fail } from './fail.ts';\nimport { deep } from 'deep';\n\nexport default (): never => fail(deep);",
      'fail.ts':
        'export function fail(deep: (run: () => never) => never): never {\n  return deep(() => {\n    throw new Error("x");\n  });\n}',
      'node_modules/deep/index.js': 'exports.deep = (run) => run();\n\n',
    });
    const locate = createLocator(good(result).map);
    const stack = await run(result).then(String, (error: Error) => error.stack ?? '');
    expect(locate(stack)).toBe('fail.ts:3');
    const places = stack.split('\n').map((line) => locate(line));
    expect(places).toContain('node_modules/deep/index.js:1');
    expect(places).toContain('index.ts:4');
    expect(locate('Error: x\n    at other.js:1:1')).toBeUndefined();
  });

  it('does bounded work on a hostile stack', async () => {
    const locate = createLocator(good(await bundle({ 'index.ts': 'export default () => 1;' })).map);
    for (const stack of [
      'plugin.js:1:1'.repeat(200_000),
      `plugin.js:${'9'.repeat(500_000)}:1`,
      'plugin.js:'.repeat(200_000),
      'plugin.js:-1:-1 plugin.js:0:0 plugin.js:99999999:99999999',
    ])
      expect(() => locate(stack)).not.toThrow();
  });
});
