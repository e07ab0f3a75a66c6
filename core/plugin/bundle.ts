import { realpath } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { type BuildFailure, build, type Message, type Plugin } from 'esbuild';
import { builtIn } from './node-modules.ts';
import type { LoadProblem } from './problem.ts';

export interface BundleRequest {
  /** Absolute directory of the plugin. */
  readonly dir: string;
  /** Entry, relative to it. */
  readonly entry: string;
  /** May packages come from `node_modules` of the folders above? Strangers' plugins bring their own. */
  readonly packagesAbove: boolean;
}

export type BundleResult =
  | {
      readonly ok: true;
      /** One script; leaves the exports in `__plugin`. */
      readonly code: string;
      /** Source map, JSON; stays with the host. */
      readonly map: string;
      /** Files outside the directory that went in (packages), absolute. */
      readonly outside: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/** Compiling is the one thing that no interrupt reaches, so size is what bounds it: of each source file and of the whole. */
export const MAX_BUNDLE_BYTES = 1024 * 1024;
const GUEST_TARGET = 'node24';

/**
 * Bundles a plugin to one script. esbuild only reads and rewrites text: nothing of the plugin runs here. Its tsconfig
 * and the `extends` in it are not read, since they can name files outside.
 */
export async function bundlePlugin(request: BundleRequest): Promise<BundleResult> {
  const dir = await realpath(request.dir);
  try {
    const built = await build({
      absWorkingDir: dir,
      // A stub of ours imports the entry: an entry bundled by itself ends in helpers that run after the plugin's code,
      // with built-ins that it may have changed.
      stdin: {
        contents: `import * as plugin from ${JSON.stringify(`./${request.entry}`)};\n__plugin = { __proto__: null, default: plugin.default };`,
        resolveDir: dir,
        sourcefile: 'glovebox-entry.js',
        loader: 'js',
      },
      banner: { js: '"use strict";var __plugin;' },
      bundle: true,
      write: false,
      outfile: path.join(dir, 'plugin.js'),
      format: 'iife',
      platform: 'neutral',
      mainFields: ['browser', 'module', 'main'],
      conditions: ['worker', 'browser', 'import'],
      target: GUEST_TARGET,
      minifyWhitespace: true,
      charset: 'utf8',
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      logLevel: 'silent',
      legalComments: 'none',
      tsconfigRaw: {},
      define: { global: 'globalThis' },
      loader: { '.txt': 'text', '.md': 'text' },
      plugins: [confine(dir, request.packagesAbove)],
    });
    const map = built.outputFiles.find((file) => file.path.endsWith('.map'));
    const script = built.outputFiles.find((file) => file.path.endsWith('.js'));
    if (script === undefined || map === undefined) throw new Error('esbuild wrote no script');
    const large = Object.entries(built.metafile.inputs).find(([, { bytes }]) => bytes > MAX_BUNDLE_BYTES);
    if (large !== undefined) {
      const message = `has ${large[1].bytes} bytes; a source file may have ${MAX_BUNDLE_BYTES}`;
      return { ok: false, problems: [{ file: large[0], message }] };
    }
    if (script.contents.length > MAX_BUNDLE_BYTES) {
      const message = `the bundle has ${script.contents.length} bytes; the most is ${MAX_BUNDLE_BYTES}. Import less of its packages.`;
      return { ok: false, problems: [{ file: request.entry, message }] };
    }
    const outside = Object.keys(built.metafile.inputs)
      .filter((input) => input !== 'glovebox-entry.js' && !input.startsWith('glovebox:'))
      .map((input) => path.resolve(dir, input))
      .filter(
        (file) => !file.startsWith(dir + path.sep) || file.includes(`${path.sep}node_modules${path.sep}`),
      );
    return { ok: true, code: script.text, map: map.text, outside };
  } catch (error) {
    const messages = (error as Partial<BuildFailure>).errors; // esbuild's failures carry them
    if (messages === undefined) throw error;
    return { ok: false, problems: messages.map(toProblem) };
  }
}

/** Keeps every import inside the plugin's directory, but for packages where those are allowed. */
function confine(dir: string, packagesAbove: boolean): Plugin {
  return {
    name: 'confine',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.pluginData === RESOLVING || args.kind === 'entry-point') return undefined;
        if (args.namespace === 'glovebox') return { errors: [{ text: 'a built-in imports nothing' }] };
        const found = builtIn(args.path, isBuiltin);
        if (found?.kind === 'impossible')
          return { errors: [{ text: `"${args.path}" can't work in a plugin: ${found.reason}` }] };
        if (found?.kind === 'source')
          return { path: args.path, namespace: 'glovebox', pluginData: found.source };
        if (found?.kind === 'file') return { path: found.path, pluginData: TRUSTED };
        if (/^[a-z][a-z0-9+.-]*:/i.test(args.path))
          return {
            errors: [{ text: `"${args.path}" can't be imported: a plugin's code is in its directory` }],
          };
        const resolved = await build.resolve(args.path, {
          importer: args.importer,
          resolveDir: args.resolveDir,
          kind: args.kind,
          pluginData: RESOLVING,
        });
        if (resolved.errors.length > 0 || resolved.external) return resolved;
        if (/\.(node|wasm)$/.test(resolved.path))
          return {
            errors: [
              { text: `"${args.path}" can't work in a plugin: native code and WebAssembly are not there` },
            ],
          };
        const real = await realpath(resolved.path).catch(() => resolved.path);
        if (!mayRead(dir, real, packagesAbove, args.importer))
          return { errors: [{ text: `"${args.path}" leads out of the plugin's directory` }] };
        return resolved;
      });
      build.onLoad({ filter: /.*/, namespace: 'glovebox' }, ({ pluginData }) => ({
        contents: pluginData as string,
        loader: 'js',
      })); // set above
    },
  };
}

const RESOLVING = Symbol('resolving');
const TRUSTED = Symbol('trusted');

function mayRead(dir: string, file: string, packagesAbove: boolean, importer: string): boolean {
  if (file.startsWith(dir + path.sep)) return true;
  if (isStandIn(file) && (isStandIn(importer) || importer === '')) return true;
  if (!packagesAbove) return false;
  // A package of a folder above: `<above>/node_modules/...`, where `<above>` holds the plugin.
  const at = file.lastIndexOf(`${path.sep}node_modules${path.sep}`);
  const first = file.indexOf(`${path.sep}node_modules${path.sep}`);
  return at >= 0 && dir.startsWith(file.slice(0, first) + path.sep);
}

function isStandIn(file: string): boolean {
  return file.includes(`${path.sep}node_modules${path.sep}unenv${path.sep}`);
}

function toProblem({ text, location }: Message): LoadProblem {
  const message = /Top-level await/.test(text)
    ? "top-level await can't work in a plugin: await inside the function"
    : text;
  if (location === null) return { message };
  return { file: location.file, line: location.line, column: location.column + 1, message };
}
