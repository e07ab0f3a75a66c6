import { readdir } from 'node:fs/promises';
import type { Budget } from './budget.ts';

export interface WalkOptions {
  readonly matches: (relative: string) => boolean;
  readonly hidden: boolean;
  readonly budget: Budget;
}

const MOST_FILES = 20_000;

/** Paths of the files that match, folder by folder in the order of names. Links to folders are not followed. */
export async function listFiles(root: string, { matches, hidden, budget }: WalkOptions): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    if (!budget.folder()) break;
    const entries = await entriesOf(root, folder);
    const inner: string[] = [];
    for (const entry of entries) {
      if (!hidden && (entry.name.startsWith('.') || entry.name === 'node_modules')) continue;
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) inner.push(relative);
      else if (matches(relative)) found.push(relative);
    }
    folders.unshift(...inner);
    if (found.length >= MOST_FILES) {
      budget.stopped ??= `more than ${MOST_FILES} files match`;
      break;
    }
  }
  return found.map((relative) => (root === '.' ? relative : `${root}/${relative}`));
}

async function entriesOf(root: string, folder: string) {
  try {
    const entries = await readdir(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    // A folder below may have gone meanwhile; the root itself must be there.
    const code: unknown = Reflect.get(Object(error), 'code');
    if (folder !== '' && code !== 'permission_denied') return [];
    if (code === 'ENOENT') throw Object.assign(new Error(`There is no folder ${root}.`), { code: 'ENOENT' });
    if (code === 'ENOTDIR')
      throw new Error(`${root} is a file; give the folder in "path" and its name in "glob".`);
    throw error;
  }
}
