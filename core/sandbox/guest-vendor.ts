import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const require = createRequire(createRequire(import.meta.url).resolve('whatwg-url'));
const shims = fileURLToPath(new URL('../../sandbox/guest/web/shims/', import.meta.url));

/** Modules that the URL parser imports, and the small ones that take their place in the guest. */
const URL_PARSER_SHIMS: Readonly<Record<string, string>> = {
  tr46: 'idna.ts',
  './encoding': 'utf8.ts',
  '@exodus/bytes/encoding.js': 'empty.ts',
  '@exodus/bytes/whatwg.js': 'percent.ts',
};

/**
 * Fits libraries to a bare isolate where every context pays for what it evaluates: heavy tables load at first need,
 * and feature tests of the global object see none of our own polyfills.
 */
export function guestVendor(): Plugin {
  return {
    name: 'guest-vendor',
    setup(build) {
      build.onResolve({ filter: /^(tr46|\.\/encoding|@exodus\/bytes\/(encoding|whatwg)\.js)$/ }, (found) => {
        const shim = URL_PARSER_SHIMS[found.path];
        if (shim === undefined || !isWithin(found.importer, 'whatwg-url')) return undefined;
        return { path: path.join(shims, shim) };
      });
      build.onResolve({ filter: /^glovebox:tr46$/ }, () => ({ path: require.resolve('tr46') }));
    },
  };
}

/** The text of a module of the guest, as it is or fitted. */
export async function readVendored(file: string): Promise<string> {
  const source = await readFile(file, 'utf8');
  if (!/[\\/]@exodus[\\/]bytes[\\/].*\.js$/.test(file)) return source;
  return `import { globalThis } from ${JSON.stringify(path.join(shims, 'exodus-global.ts'))};\n${source}`;
}

function isWithin(file: string, packageName: string): boolean {
  return file.includes(`${path.sep}node_modules${path.sep}${packageName}${path.sep}`);
}
