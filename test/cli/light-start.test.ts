import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
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

// A package that comes in here is paid for at every start: load it where it is first used instead, or list it.
it('loads little for the help of the command line', async () => {
  expect(await dependenciesLoadedBy(BIN, '--help')).toEqual(['commander', 'fastest-levenshtein']);
});

it('loads what a host needs from the start with the package, and nothing else', async () => {
  const program = ['-C', 'glovebox-source', '--input-type=module', '-e', "await import('glovebox')"];
  expect(await dependenciesLoadedBy(...program)).toEqual([
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
