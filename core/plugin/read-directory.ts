import { createHash, type Hash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { constants, type FileHandle, open, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { hasEntry } from './code-only.ts';
import { isSkipped } from './discover.ts';
import { isMarker } from './markers.ts';
import { readUpTo } from './read-up-to.ts';

/** A plugin directory as a whole, at one moment. */
export type DirectoryReading =
  | {
      readonly kind: 'read';
      /** Of all names and contents. */
      readonly hash: string;
      /** Does the hash say all of it: no link leads anywhere, and nothing was too much to read? */
      readonly isWhole: boolean;
      /** Is there a file that makes it a plugin? */
      readonly hasMarker: boolean;
    }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly code: string };

const GENERATED = 'schema.d.ts';
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 16;
/** Of a file that says that it is empty. */
const LEAST_READ_BYTES = 65_536;
/** What editors leave beside a file while they save it. */
const TEMPORARY = /(~|\.swp|\.swx|\.tmp|\.bak|\.orig|\.crswap|___jb_tmp___|___jb_old___)$|^(4913|#.*#)$/;

/** Is it of no account to the plugin: dot files, packages, generated types, editors' leftovers? */
export function isUnread(name: string): boolean {
  return isSkipped(name) || name === GENERATED || TEMPORARY.test(name);
}

/** Reads all of it but packages, dot files, generated types and editors' leftovers. Links are read as links. */
export async function readDirectory(dir: string): Promise<DirectoryReading> {
  const reader: Reader = { hash: createHash('sha256'), files: MAX_FILES, bytes: MAX_BYTES, isWhole: true };
  try {
    const names = await addDirectory(reader, dir, '', MAX_DEPTH);
    return {
      kind: 'read',
      hash: reader.hash.digest('hex'),
      isWhole: reader.isWhole && reader.files > 0 && reader.bytes >= 0,
      hasMarker: names.some(isMarker) || hasEntry(names),
    };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException; // node:fs rejects with these
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'gone' } : { kind: 'unreadable', code };
  }
}

interface Reader {
  readonly hash: Hash;
  files: number;
  bytes: number;
  isWhole: boolean;
}

async function addDirectory(reader: Reader, dir: string, prefix: string, depth: number): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (isUnread(entry.name) || reader.files <= 0) continue;
    reader.files -= 1;
    await addEntry(reader, entry, path.join(dir, entry.name), `${prefix}${entry.name}`, depth);
  }
  return entries.map((entry) => entry.name);
}

async function addEntry(
  reader: Reader,
  entry: Dirent,
  file: string,
  name: string,
  depth: number,
): Promise<void> {
  const add = (what: string) => reader.hash.update(`${name}\0${what}\0`);
  const isPlain = entry.isFile() || (entry.isDirectory() && depth > 0);
  if (!isPlain) reader.isWhole = false;
  if (entry.isDirectory() && depth > 0) {
    add('directory');
    // What can't be read inside is part of what there is.
    await addDirectory(reader, file, `${name}/`, depth - 1).catch((error: NodeJS.ErrnoException) => {
      reader.isWhole = false;
      add(error.code ?? 'unreadable');
    });
  } else if (entry.isSymbolicLink()) add(`link ${await readlink(file).catch(() => '')}`);
  else if (entry.isFile()) await addFile(reader, file, add);
  else add('special');
}

async function addFile(reader: Reader, file: string, add: (what: string) => unknown): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    // A pipe may have taken the file's place: it must not block.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    reader.bytes -= info.size;
    // Past the budget only size and time count: the loader refuses what is that large anyway.
    if (!info.isFile() || reader.bytes < 0) add(`${info.size} ${info.mtimeMs}`);
    else {
      const content = await readUpTo(handle, Math.max(info.size, LEAST_READ_BYTES) + 1);
      add(String(content.length));
      reader.hash.update(content);
    }
  } catch (error) {
    reader.isWhole = false;
    add((error as NodeJS.ErrnoException).code ?? 'unreadable'); // node:fs rejects with these
  } finally {
    await handle?.close();
  }
}
