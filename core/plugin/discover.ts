import { type Dirent, readdirSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Kind } from '../catalog/offer.ts';
import { hasEntry, kindAt } from './code-only.ts';
import { inBatches } from './in-batches.ts';
import { isClosed, isMarker } from './markers.ts';

export interface FoundPlugin {
  /** Absolute. */
  readonly dir: string;
  /** The directory's name behind the folders above it: `github.create_issue`. */
  readonly name: string;
  readonly kind: Kind;
  /** What lies in it. */
  readonly files: readonly string[];
}

export interface DiscoveryProblem {
  readonly dir: string;
  readonly message: string;
}

export interface Discovery {
  readonly found: readonly FoundPlugin[];
  readonly problems: readonly DiscoveryProblem[];
}

const MAX_DEPTH = 6;
/** Folders that are read at the same time. */
const BATCH = 64;
const MAX_DIRECTORIES = 50_000;

/** Finds plugin directories below a root. A directory that can't be read is a problem; the others are found all the same. */
export async function discover(root: string): Promise<Discovery> {
  const search: Search = { root, found: [], problems: [], seen: 0 };
  await visit(search, root, []);
  if (search.seen > MAX_DIRECTORIES)
    search.problems.push({
      dir: root,
      message: `there are more than ${MAX_DIRECTORIES} folders below it; some were not looked into`,
    });
  search.found.sort((one, other) => (one.name < other.name ? -1 : 1));
  return search;
}

/** Is it a plugin by itself, and in no folder above it that is one? */
export async function isPluginBelow(root: string, dir: string): Promise<boolean> {
  const kindOf = async (folder: string) => kindAt(folder, await readdir(folder).catch(() => []));
  if ((await kindOf(dir)) === undefined) return false;
  for (let above = path.dirname(dir); above.length > root.length; above = path.dirname(above)) {
    const kind = await kindOf(above);
    if (kind !== undefined && isClosed(kind)) return false;
  }
  return true;
}

interface Search {
  readonly root: string;
  readonly found: FoundPlugin[];
  readonly problems: DiscoveryProblem[];
  seen: number;
}

async function visit(search: Search, dir: string, groups: readonly string[]): Promise<void> {
  search.seen += 1;
  if (search.seen > MAX_DIRECTORIES) return;
  const entries = list(dir);
  if (entries instanceof Error) {
    // The root may not be there yet; a folder can vanish while we look.
    if (entries.code !== 'ENOENT')
      search.problems.push({ dir, message: `the directory can't be read (${entries.code})` });
    return;
  }
  const files = entries.map((entry) => entry.name);
  const kind = groups.length > 0 ? await kindAt(dir, files) : undefined;
  if (kind !== undefined) {
    search.found.push({ dir, name: groups.join('.'), kind, files });
    if (isClosed(kind)) return;
  }
  await inBatches(
    entries.filter((entry) => !isSkipped(entry.name)),
    BATCH,
    (entry) => visitEntry(search, dir, entry, groups),
  );
}

/** At once: for thousands of folders the way to a thread and back takes longer than the system's answer. */
function list(dir: string): Dirent[] | NodeJS.ErrnoException {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    return error as NodeJS.ErrnoException; // node:fs throws these
  }
}

async function visitEntry(
  search: Search,
  dir: string,
  entry: Dirent,
  groups: readonly string[],
): Promise<void> {
  const child = path.join(dir, entry.name);
  if (entry.isSymbolicLink()) return checkLink(search, child);
  if (!entry.isDirectory()) return;
  if (groups.length < MAX_DEPTH) return visit(search, child, [...groups, entry.name]);
  search.problems.push({ dir: child, message: `it is more than ${MAX_DEPTH} folders below ${search.root}` });
}

export function isSkipped(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.');
}

/**
 * Links are not followed: one could make any directory of the machine a plugin, or the same one twice, and what it
 * points at isn't watched. Whoever links a plugin in is told what to do instead.
 */
async function checkLink(search: Search, link: string): Promise<void> {
  const target = await realpath(link).catch(() => undefined);
  const inside = target === undefined ? [] : await readdir(target).catch(() => []);
  if (inside.some(isMarker) || hasEntry(inside))
    search.problems.push({
      dir: link,
      message: `it is a link, and links are not followed; name the folder above ${target} in "plugins" instead`,
    });
}
