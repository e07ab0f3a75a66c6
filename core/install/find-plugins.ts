import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Kind, nameOf } from '../catalog/offer.ts';
import { hasEntry } from '../plugin/code-only.ts';
import { discover } from '../plugin/discover.ts';
import { isClosed, kindOfDirectory } from '../plugin/markers.ts';
import { toName } from './fetch-source.ts';
import { done, failed, type Outcome } from './outcome.ts';

export interface Candidate {
  readonly dir: string;
  /** Its name unless it gives itself one. */
  readonly defaultName: string;
  readonly kind: Kind;
}

/** Folders in which packages keep plugins; no part of a name. */
const CONTAINERS: ReadonlySet<string> = new Set(['plugins', 'plugin', 'tools', 'glovebox', 'src', 'dist']);

/** Finds every plugin of a package: the package itself, one folder of it, or many. */
export async function findPlugins(root: string, nameHint: string): Promise<Outcome<readonly Candidate[]>> {
  const names = await readdir(root);
  const kind = kindOfDirectory(names);
  const own: Candidate[] = kind === undefined ? [] : [{ dir: root, defaultName: nameHint, kind }];
  if (kind !== undefined && isClosed(kind)) return done(own);
  const { found, problems } = await discover(root);
  const [problem] = problems;
  if (problem !== undefined) return failed(`${path.relative(root, problem.dir) || '.'}: ${problem.message}`);
  // Packages have code everywhere: only where nothing is marked may it be a plugin by itself.
  const marked = found.filter(({ files }) => kindOfDirectory(files) !== undefined);
  if (own.length + marked.length === 0 && hasEntry(names))
    return done([{ dir: root, defaultName: nameHint, kind: 'tool' }]);
  const taken = own.length + marked.length === 0 ? found : marked;
  const below = taken.map(({ dir, kind: each }) => ({
    ...{ dir, kind: each },
    defaultName: nameBelow(path.relative(root, dir), nameHint),
  }));
  if (own.length + below.length > 0) return done([...own, ...below]);
  return failed(
    'there is no plugin in it: no schema.json, index.ts, index.js, resource.json or prompt.md, neither at its top nor in a folder',
  );
}

function nameBelow(relative: string, nameHint: string): string {
  const folders = relative.split(path.sep);
  const first = folders.findIndex((folder) => !CONTAINERS.has(folder));
  // `glovebox/schema.json`: the one plugin of the package.
  return first < 0 ? nameHint : folders.slice(first).map(toName).join('.');
}

/** The name of the directory in which it is installed. */
export function directoryName(kind: Kind, id: string): string {
  return toName(nameOf(kind, id));
}
