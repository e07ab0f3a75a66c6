import type { KeptBuild } from './build-cache.ts';
import type { LoadOptions } from './load-options.ts';
import { isUnread, readDirectory } from './read-directory.ts';

type Caching = Pick<LoadOptions, 'dir' | 'trust' | 'contents' | 'builds'>;

/** What strangers' files came to is never taken from a disk. */
export async function findKept(
  { dir, trust, contents, builds }: Caching,
  entry: string | undefined,
): Promise<KeptBuild | undefined> {
  if (trust !== 'declared' || contents === undefined || entry === undefined) return undefined;
  return builds?.get(dir, entry, contents);
}

/** Keeps what a load came to, for the next start, if the directory's hash says all that it came of. */
export async function keepBuild(
  { dir, trust, contents, builds }: Caching,
  entry: string,
  build: KeptBuild,
): Promise<void> {
  if (trust !== 'declared' || contents === undefined || builds === undefined) return;
  const { namesPackages, outside, inputs } = build.bundle;
  if (namesPackages || outside.length > 0 || [...inputs.keys()].some(isUnsaid)) return;
  const now = await readDirectory(dir);
  // Somebody saved meanwhile: it may be of neither state.
  if (now.kind === 'read' && now.isWhole && now.hash === contents)
    await builds.put(dir, entry, contents, build);
}

/** Dot files, generated types and editors' leftovers are not in the hash, and neither is what a link leads to. */
function isUnsaid(file: string): boolean {
  return file.split(/[\\/]/).some((part) => part === '..' || isUnread(part));
}
