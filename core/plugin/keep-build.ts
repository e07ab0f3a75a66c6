import type { KeptBuild } from './build-cache.ts';
import type { LoadOptions } from './load-options.ts';
import { readDirectory } from './read-directory.ts';

type Caching = Pick<LoadOptions, 'dir' | 'trust' | 'contents' | 'builds'>;

/** What strangers' files came to is never taken from a disk. */
export async function findKept(
  { dir, trust, contents, builds }: Caching,
  entry: string | undefined,
): Promise<KeptBuild | undefined> {
  if (trust !== 'declared' || contents === undefined || entry === undefined) return undefined;
  return builds?.get(dir, entry, contents);
}

/** Keeps what a load came to, for the next start. */
export async function keepBuild(
  { dir, trust, contents, builds }: Caching,
  entry: string,
  build: KeptBuild,
): Promise<void> {
  if (trust !== 'declared' || contents === undefined || builds === undefined) return;
  // Somebody saved meanwhile: it may be of neither state.
  const now = await readDirectory(dir);
  if (now.kind === 'read' && now.hash === contents) await builds.put(dir, entry, contents, build);
}
