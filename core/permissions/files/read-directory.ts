import type { Dirent, Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Answer, done, failed } from '../outcome.ts';
import { flagOf, type Params, textOf } from '../params.ts';
import { fileError } from './file-errors.ts';
import type { FileContext } from './files.ts';
import { LEADS_OUT } from './guard.ts';
import { type Pinned, pin } from './pin.ts';
import { usingPinned } from './read-write.ts';

const LONGEST_PARAMETER = 65_536;
const DEEPEST = 64;

interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
  /** The directory as the plugin would write it. */
  readonly parent: string;
}

type EntryKind = 'file' | 'directory' | 'symlink' | 'other';

interface Listing {
  readonly entries: Entry[];
  readonly recursive: boolean;
  full: boolean;
}

/** Lists what may be read, and the directories on the way to it; the rest is not mentioned. */
export async function readDirectory(context: FileContext, params: Params): Promise<Answer> {
  const { guard, limits } = context;
  const entered = guard.enter('read', textOf(params, 'path', LONGEST_PARAMETER), 'below');
  if (!entered.ok) return entered;
  const { path } = entered;
  const listing: Listing = { entries: [], recursive: flagOf(params, 'recursive'), full: false };
  return usingPinned(path, 'scandir', async (pinned) => {
    if (!guard.admits('read', pinned.real) && !guard.admitsBelow('read', pinned.real)) {
      return guard.refuse('read', path, LEADS_OUT);
    }
    if (!pinned.stats.isDirectory()) return fileError('ENOTDIR', 'scandir', path.shown);
    await list(context, pinned, path.shown.replace(/(?<=.)\/+$/, ''), listing, 0);
    if (listing.full) {
      return failed(
        'Error',
        `'${path.shown}' has more than the ${limits.entries} entries allowed; list a part of it`,
        'EFBIG',
      );
    }
    return done(listing.entries);
  });
}

async function list(
  context: FileContext,
  directory: Pinned,
  shown: string,
  listing: Listing,
  depth: number,
): Promise<void> {
  const { guard, limits, signal } = context;
  for await (const entry of await opendir(directory.via)) {
    if (signal.aborted) return;
    const real = posix.join(directory.real, entry.name);
    const kind = kindOf(entry);
    const isWay = kind === 'directory' && guard.admitsBelow('read', real);
    if (!isWay && !guard.admits('read', real)) continue;
    if (listing.entries.length >= limits.entries) {
      listing.full = true;
      return;
    }
    listing.entries.push({ name: entry.name, kind, parent: shown });
    if (!listing.recursive || !isWay || depth >= DEEPEST) continue;
    const child = await pin(posix.join(directory.via, entry.name), { follow: false }).catch(() => undefined);
    try {
      // A link or another directory may have taken its place since it was listed.
      if (child?.stats.isDirectory() && guard.admitsBelow('read', child.real)) {
        await list(context, child, posix.join(shown, entry.name), listing, depth + 1);
      }
    } finally {
      await child?.close();
    }
    if (listing.full) return;
  }
}

export function kindOf(entry: Dirent | Stats): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
