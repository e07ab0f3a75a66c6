import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { explain, findLeftovers, namesPackage } from './bundle-problems.ts';
import { hashCode } from './code-hash.ts';
import { confine, MAX_SOURCE_BYTES } from './confine.ts';
import { runBuild } from './esbuild-service.ts';
import type { Warning } from './manifest.ts';
import type { LoadProblem } from './problem.ts';

export interface BundleRequest {
  /** Absolute directory of the plugin. */
  readonly dir: string;
  /** Entry, relative to it. */
  readonly entry: string;
  /** May packages come from `node_modules` of the folders above? Strangers' plugins bring their own. */
  readonly packagesAbove: boolean;
  /** The export that is called. @defaultValue 'default' */
  readonly exported?: 'default' | 'complete';
  /** In place of our own: a script that imports the entry and leaves an object in `__plugin`. */
  readonly stub?: string;
}

export type BundleResult =
  | {
      readonly ok: true;
      /** One script; leaves the exports in `__plugin`. */
      readonly code: string;
      /** Source map, JSON; stays with the host. */
      readonly map: string;
      /** Every file that went in, relative to the directory (`../` for packages above), with its SHA-256. */
      readonly inputs: ReadonlyMap<string, string>;
      /** SHA-256 of the code as it would run, the same wherever the same files lie. */
      readonly hash: string;
      /** Did an import name a package, found or not? */
      readonly namesPackages: boolean;
      /** Files of packages that went in, absolute: the directory's own hash doesn't cover them. */
      readonly outside: readonly string[];
      readonly warnings: readonly Warning[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly LoadProblem[];
      /** Does an import name a package that isn't installed? */
      readonly lacksPackage: boolean;
    };

export const MAX_BUNDLE_BYTES = MAX_SOURCE_BYTES;
const GUEST_TARGET = 'node24';
const STUB = 'glovebox-entry.js';
const TEXT = ['.txt', '.md', '.html', '.css', '.csv', '.tsv', '.sql', '.xml', '.svg', '.yaml', '.yml'];

/**
 * Bundles a plugin to one script. esbuild only reads and rewrites text: nothing of the plugin runs here. Its tsconfig
 * and the `extends` in it are not read, since they can name files outside.
 */
export async function bundlePlugin(request: BundleRequest): Promise<BundleResult> {
  const dir = await realpath(request.dir);
  const { plugin, inputs, namesPackages } = confine(dir, request.packagesAbove);
  const run = await runBuild({
    absWorkingDir: dir,
    // A stub of ours imports the entry: an entry bundled by itself ends in helpers that run after the plugin's code,
    // with built-ins that it may have changed.
    stdin: {
      contents:
        request.stub ??
        `import * as plugin from ${JSON.stringify(`./${request.entry}`)};\n__plugin = { __proto__: null, default: plugin.${request.exported ?? 'default'} };`,
      resolveDir: dir,
      sourcefile: STUB,
      loader: 'js',
    },
    banner: { js: `"use strict";var __plugin,__process=globalThis[Symbol.for('glovebox.process')];` },
    bundle: true,
    write: false,
    metafile: true,
    outfile: path.join(dir, 'plugin.js'),
    format: 'iife',
    // The nearest to an isolate with web standards; also what makes esbuild heed the `browser` field of a package.
    platform: 'browser',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['worker', 'module'],
    target: GUEST_TARGET,
    minifyWhitespace: true,
    charset: 'utf8',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'silent',
    legalComments: 'none',
    tsconfigRaw: {},
    // `process` is no web standard, so it is no global: code that names it gets the guest's.
    define: { global: 'globalThis', process: '__process', 'process.env.NODE_ENV': '"production"' },
    loader: Object.fromEntries(TEXT.map((extension) => [extension, 'text' as const])),
    plugins: [plugin],
  });
  const failed = (problems: readonly LoadProblem[]): BundleResult => ({
    ok: false,
    problems,
    lacksPackage: run.kind === 'refused' && run.messages.some(namesPackage),
  });
  if (run.kind === 'lost') return failed([{ file: request.entry, message: run.reason }]);
  if (run.kind === 'refused') return failed(run.messages.map(explain));
  const { outputFiles = [], warnings, metafile } = run.result;
  const map = outputFiles.find((file) => file.path.endsWith('.map'));
  const script = outputFiles.find((file) => file.path.endsWith('.js'));
  if (script === undefined || map === undefined || metafile === undefined)
    throw new Error('esbuild wrote no script');
  if (script.contents.length > MAX_BUNDLE_BYTES) {
    const message = `the bundle has ${script.contents.length} bytes; the most is ${MAX_BUNDLE_BYTES}. Import less of its packages.`;
    return failed([{ file: request.entry, message }]);
  }
  const own = warnings.filter(
    ({ location }) => location !== null && location.file !== STUB && !isInPackage(location.file),
  );
  // A file that is empty for the moment exports nothing: an error, or a save in two steps would show in between.
  const undefinedImports = own.filter(({ id }) => id === 'import-is-undefined').map(explain);
  const leftovers = [...undefinedImports, ...findLeftovers(script.text, map.text)];
  if (leftovers.length > 0) return failed(leftovers);
  const named = [...inputs].map(([file, hash]) => [path.relative(dir, file), hash] as const);
  return {
    ok: true,
    code: script.text,
    map: map.text,
    inputs: new Map(named.sort(([one], [other]) => (one < other ? -1 : 1))),
    hash: await hashCode({ dir, inputs, metafile, stub: STUB }),
    namesPackages: namesPackages(),
    outside: [...inputs.keys()].filter((file) => !file.startsWith(dir + path.sep) || isInPackage(file)),
    warnings: own.map((warning) => toWarning(explain(warning))),
  };
}

function isInPackage(file: string): boolean {
  return file.split(path.sep).includes('node_modules');
}

function toWarning({ file, line, message }: LoadProblem): Warning {
  return { path: '', message: `${file}:${line}: ${message}` };
}
