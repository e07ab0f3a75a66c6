import path from 'node:path';
import { type Plugin, transform } from 'esbuild';
import { readVendored } from './guest-vendor.ts';

/** What every context evaluates; all other modules wait for their first use. */
const EAGER =
  /[\\/]sandbox[\\/]([\w-]+|guest[\\/][\w-]+|guest[\\/](web|node)[\\/](install|lazy|modules|guest-bridge))\.ts$/;
const SCRIPT = /\.(ts|m?js)$/;
const NAMESPACE = 'lazy-module';

/**
 * Keeps each lazy module inside a function of its own. esbuild hoists the functions of an ES module to the top of the
 * bundle even when its evaluation is put off, so a context would make thousands of closures that it may never call; it
 * leaves a CommonJS module whole.
 */
export function lazyModules(): Plugin {
  return {
    name: 'lazy-modules',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: name, pluginData, ...from }) => {
        if (pluginData === RESOLVING || from.kind === 'entry-point') return undefined;
        const { importer, resolveDir, kind } = from;
        const found = await build.resolve(name, { importer, resolveDir, kind, pluginData: RESOLVING });
        if (found.errors.length > 0 || EAGER.test(found.path) || !SCRIPT.test(found.path)) return found;
        // By its ending, whatever the package around the file says.
        return { path: `${found.path}.cjs`, namespace: NAMESPACE };
      });
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path: name }) => {
        const file = name.slice(0, -'.cjs'.length);
        const { code } = await transform(await readVendored(file), {
          loader: file.endsWith('.ts') ? 'ts' : 'js',
          format: 'cjs',
          target: 'node24',
        });
        return { contents: code, loader: 'js', resolveDir: path.dirname(file) };
      });
    },
  };
}

/** Marks a question of this plugin's own, which it must not answer itself. */
const RESOLVING = Symbol('resolving');
