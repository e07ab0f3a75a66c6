import { constants, type Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSkipped } from '../plugin/discover.ts';
import { readUpTo } from '../plugin/read-up-to.ts';
import type { Allowance } from './caps.ts';
import { failed, type Refusal, reasonOf } from './outcome.ts';

export interface CopyOptions {
  readonly allowance: Allowance;
  /** Copy `node_modules` too? */
  readonly withPackages: boolean;
  readonly signal?: AbortSignal;
}

const PACKAGES = 'node_modules';

/**
 * Copies what counts of a plugin: regular files and folders, without what no loader reads (dot files, and so `.npmrc`
 * and `.git`). A link is refused, since it could show any file of this machine; among packages, where package managers
 * make them, it is left out.
 */
export async function copyDirectory(
  from: string,
  to: string,
  options: CopyOptions,
): Promise<Refusal | undefined> {
  return copyFolder(from, to, '', options);
}

/** Copies a `node_modules` folder. */
export async function copyPackages(
  from: string,
  to: string,
  options: Omit<CopyOptions, 'withPackages'>,
): Promise<Refusal | undefined> {
  return copyFolder(from, to, `${PACKAGES}/`, { ...options, withPackages: true });
}

async function copyFolder(
  from: string,
  to: string,
  prefix: string,
  options: CopyOptions,
): Promise<Refusal | undefined> {
  if (options.signal?.aborted) return failed('interrupted');
  let entries: Dirent[];
  try {
    entries = await readdir(from, { withFileTypes: true });
    await mkdir(to, { recursive: true });
  } catch (error) {
    return failed(`${prefix || 'the directory'} can't be copied (${reasonOf(error)})`);
  }
  for (const entry of entries) {
    const name = `${prefix}${entry.name}`;
    if (entry.name === PACKAGES ? !options.withPackages : isSkipped(entry.name)) continue;
    const refusal =
      options.allowance.takeEntry(name) ??
      (await copyEntry(entry, path.join(from, entry.name), path.join(to, entry.name), name, options));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function copyEntry(
  entry: Dirent,
  from: string,
  to: string,
  name: string,
  options: CopyOptions,
): Promise<Refusal | undefined> {
  if (entry.isDirectory()) return copyFolder(from, to, `${name}/`, options);
  if (entry.isFile()) return copyFile(from, to, name, options.allowance);
  if (name.split('/').includes(PACKAGES)) return undefined;
  return failed(
    entry.isSymbolicLink()
      ? `${name} is a link, and links are not followed: put the file itself there`
      : `${name} is no regular file`,
  );
}

async function copyFile(
  from: string,
  to: string,
  name: string,
  allowance: Allowance,
): Promise<Refusal | undefined> {
  let handle: FileHandle | undefined;
  try {
    // What was a file a moment ago may be a link or a pipe now.
    handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile()) return failed(`${name} is no regular file`);
    const refusal = allowance.takeBytes(info.size);
    if (refusal !== undefined) return refusal;
    const bytes = await readUpTo(handle, info.size + 1);
    if (bytes.length > info.size) return failed(`${name} was written to while it was copied; try again`);
    await writeFile(to, bytes, { flag: 'wx', mode: 0o644 });
    return undefined;
  } catch (error) {
    return failed(`${name} can't be copied (${reasonOf(error)})`);
  } finally {
    await handle?.close();
  }
}
