import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { compareText } from '../compare-text.ts';
import { contentHash } from './content-hash.ts';

export interface Bundled {
  /** Real path of the plugin's directory. */
  readonly dir: string;
  /** Content hashes of the files that went in, by absolute path. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
  /** Name of our own script that imports the entry. */
  readonly stub: string;
}

/**
 * One hash for the code as it would run, the same wherever the same files lie. The files' contents are not all of it: a
 * `package.json` or a link decides which of them an import leads to, which are left out, and what `import` means.
 */
export async function hashCode({ dir, inputs, metafile, stub }: Bundled): Promise<string> {
  const files = sorted([...inputs].map(([file, hash]) => [path.relative(dir, file), hash] as const));
  const packages = await Promise.all(
    packageFilesOf(dir, inputs.keys()).map(async (file) => {
      const content = await readFile(file).catch(() => undefined);
      return content === undefined ? [] : [[path.relative(dir, file), contentHash(content)] as const];
    }),
  );
  const imports = Object.entries(metafile.inputs).flatMap(([importer, input]) => {
    if (importer !== stub && !inputs.has(path.resolve(dir, importer))) return [];
    const edges = input.imports.map(({ path: to, original, kind, external }) => {
      // Where our own stand-ins for built-ins lie is the machine's.
      const target = isElsewhere(to) && !inputs.has(path.resolve(dir, to)) ? '' : to;
      return [kind, original ?? '', target, external === true];
    });
    return [[importer, JSON.stringify([input.format ?? '', edges])] as const];
  });
  return contentHash(
    ...[files, sorted(packages.flat()), sorted(imports)].map((part) => JSON.stringify(part)),
  );
}

/** Each `package.json` that the bundler looks at for one of the files, up to the plugin's own. */
function packageFilesOf(dir: string, files: Iterable<string>): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let folder = path.dirname(file); !folders.has(folder); folder = path.dirname(folder)) {
      folders.add(folder);
      if (folder === dir || path.basename(folder) === 'node_modules' || folder === path.dirname(folder))
        break;
    }
  }
  folders.add(dir);
  return [...folders].map((folder) => path.join(folder, 'package.json'));
}

function isElsewhere(file: string): boolean {
  return file.startsWith('..') || path.isAbsolute(file);
}

function sorted(pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return pairs.toSorted(([one], [other]) => compareText(one, other));
}
