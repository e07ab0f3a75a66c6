import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSkipped } from './discover.ts';

/** The content of a plugin directory as one hash. */
export interface DirectoryReading {
  readonly hash: string;
  readonly isEmpty: boolean;
}

const GENERATED = 'schema.d.ts';
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** What editors leave beside a file while they save it. */
const TEMPORARY = /(~|\.swp|\.swx|\.tmp|\.bak|\.orig|\.crswap)$|^(4913|#.*#)$/;

/** Reads all of it but packages, dot files, generated types and editors' leftovers. Undefined: it is not there. */
export async function readDirectory(dir: string): Promise<DirectoryReading | undefined> {
  const hash = createHash('sha256');
  const budget = { files: MAX_FILES, bytes: MAX_BYTES };
  const there = await addDirectory(hash, dir, '', budget);
  if (!there) return undefined;
  return { hash: hash.digest('hex'), isEmpty: budget.files === MAX_FILES };
}

async function addDirectory(
  hash: ReturnType<typeof createHash>,
  dir: string,
  prefix: string,
  budget: { files: number; bytes: number },
): Promise<boolean> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return false;
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (isSkipped(entry.name) || entry.name === GENERATED || TEMPORARY.test(entry.name)) continue;
    const file = path.join(dir, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      await addDirectory(hash, file, `${name}/`, budget);
      continue;
    }
    if (budget.files <= 0) break;
    budget.files -= 1;
    const size = (await stat(file).catch(() => undefined))?.size ?? 0;
    budget.bytes -= size;
    // Past the budget only names and sizes count: the loader refuses what is that large anyway.
    const content =
      entry.isFile() && budget.bytes > 0 ? await readFile(file).catch(() => undefined) : undefined;
    hash.update(`${name}\0${content?.length ?? `size ${size}`}\0`);
    if (content !== undefined) hash.update(content);
  }
  return true;
}
