import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { BIN } from './run-cli.ts';

const cwd = path.join(import.meta.dirname, '../..');

/** Tells at the end which of our dependencies were loaded. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url) ?? [];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])));
`)}`;

async function dependenciesLoadedBy(...args: readonly string[]): Promise<string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', TELL_LOADED, ...args], { cwd });
  const loaded: readonly string[] = JSON.parse(stderr);
  return Object.keys(packageJson.dependencies).filter((name) => loaded.includes(name));
}

const program = (code: string) => ['-C', 'glovebox-source', '--input-type=module', '-e', code];

// A package that comes in here is paid for at every start: load it where it is first used instead, or list it.
it('loads little for the help of the command line', async () => {
  expect(await dependenciesLoadedBy(BIN, '--help')).toEqual(['commander', 'fastest-levenshtein']);
});

it('loads what a host needs from the start with the package, and nothing else', async () => {
  expect(await dependenciesLoadedBy(...program("await import('glovebox')"))).toEqual([
    '@jridgewell/trace-mapping',
    '@opentelemetry/api',
    'ajv',
    'ajv-formats',
    'chokidar',
    'es-module-lexer',
    'esbuild',
    'fastest-levenshtein',
    'ipaddr.js',
    'jsonc-parser',
    'minisearch',
    're2js',
    'stemmer',
  ]);
});

it.each([
  [{}, false],
  [{ net: ['GET https://example.com/*'] }, true],
])(
  'has what speaks HTTP ready before the first call, for those alone who ask for it: %j',
  async (permissions, isReady) => {
    const root = await mkdtemp(path.join(tmpdir(), 'glovebox-light-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    await mkdir(path.join(root, 'it'));
    const schema = { description: 'Answers. Use it in tests.', parameters: { type: 'object' }, permissions };
    await writeFile(path.join(root, 'it/schema.json'), JSON.stringify(schema));
    await writeFile(path.join(root, 'it/index.js'), 'export default () => 1;\n');
    const config = JSON.stringify({ plugins: [root], watch: false, audit: false });
    const loaded = await dependenciesLoadedBy(
      ...program(`
      import { createHost } from 'glovebox';
      const host = await createHost({ config: ${config} });
      if (host.catalog.lookup('it') === undefined) throw new Error('it is not there');
      await host.close();
    `),
    );
    expect(loaded.includes('undici')).toBe(isReady);
  },
);
