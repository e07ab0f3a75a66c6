import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { LoadProblem } from './problem.ts';

/** Files that the bundler reads by itself, following links, whole. */
const READ_BY_NAME = new Set(['package.json', 'tsconfig.json', 'jsconfig.json']);
const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 32;

/**
 * Looks for what would make the bundler read for ever or read elsewhere: a pipe, a device, a `package.json` that is a
 * link. Its packages count too where they are a stranger's.
 */
export async function findTraps(dir: string, withPackages: boolean): Promise<LoadProblem[]> {
  const search: Search = { dir, withPackages, entries: 0, problems: [] };
  await visit(search, dir, MAX_DEPTH);
  if (search.entries > MAX_ENTRIES)
    search.problems.push({ message: `it has more than ${MAX_ENTRIES} files; put data elsewhere` });
  return search.problems;
}

interface Search {
  readonly dir: string;
  readonly withPackages: boolean;
  entries: number;
  readonly problems: LoadProblem[];
}

async function visit(search: Search, folder: string, depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    search.entries += 1;
    if (search.entries > MAX_ENTRIES) return;
    const file = path.join(folder, entry.name);
    const found = (message: string) =>
      search.problems.push({ file: path.relative(search.dir, file), message });
    if (entry.isDirectory()) {
      if (entry.name === 'node_modules' && !search.withPackages) continue;
      if (depth > 0) await visit(search, file, depth - 1);
      else found(`is nested deeper than ${MAX_DEPTH} folders`);
    } else if (READ_BY_NAME.has(entry.name)) {
      const info = await lstat(file).catch(() => undefined);
      if (info === undefined) continue;
      if (!info.isFile()) found('must be a regular file, not a link or a pipe');
      else if (info.size > MAX_BYTES) found(`has ${info.size} bytes; the most is ${MAX_BYTES}`);
    }
  }
}
