import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toSlashes } from './glob.ts';

/**
 * A file or directory held so that nobody can put another one in its place between the check and the use.
 *
 * On Linux a descriptor (`O_PATH`: opening has no effect on a device or a pipe) holds it; `real` is what the kernel
 * says of that very descriptor, and `via` (`/proc/self/fd/N`) reaches it without a look at any name again.
 *
 * Elsewhere there is no such path: `real` comes from realpath, and {@link Pinned.verify} compares what was opened with
 * what was checked before a byte is read or written. A process of the same user that races there can at most make
 * the host create an empty file, or list or remove a name, in a directory that it could reach itself anyway.
 */
export interface Pinned {
  /** Absolute, no symbolic links, `/` between segments. */
  readonly real: string;
  readonly via: string;
  readonly stats: Stats;
  /** Is this what was checked? */
  verify(handle: FileHandle): Promise<boolean>;
  close(): Promise<void>;
}

const O_PATH = 0o10_000_000;
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux';
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Holds what `path` leads to; with `follow: false`, a symbolic link itself. Rejects with the system's error. */
export async function pin(path: string, options: { readonly follow: boolean }): Promise<Pinned> {
  return HAS_DESCRIPTOR_PATHS ? pinDescriptor(path, options.follow) : pinPath(path, options.follow);
}

async function pinDescriptor(path: string, follow: boolean): Promise<Pinned> {
  const handle = await open(path, O_PATH | (follow ? 0 : NO_FOLLOW));
  try {
    const via = `/proc/self/fd/${handle.fd}`;
    const real = await readlink(via);
    return { real, via, stats: await handle.stat(), verify: async () => true, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function pinPath(path: string, follow: boolean): Promise<Pinned> {
  const native = follow ? await realpath(path) : join(await realpath(dirname(path)), baseName(path));
  const stats = await lstat(native);
  return {
    real: toSlashes(native),
    via: native,
    stats,
    async verify(handle) {
      const opened = await handle.stat();
      const now = await stat(await realpath(native));
      return [opened, now].every((other) => other.dev === stats.dev && other.ino === stats.ino);
    },
    close: async () => undefined,
  };
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Opens what is pinned. Undefined if something else stood in its place. */
export async function openPinned(pinned: Pinned, flags: number): Promise<FileHandle | undefined> {
  // O_NONBLOCK: a pipe that took the file's place must not block a thread of the host.
  const nonBlocking = constants.O_NONBLOCK ?? 0;
  const handle = await open(pinned.via, flags | nonBlocking | (HAS_DESCRIPTOR_PATHS ? 0 : NO_FOLLOW));
  if (await pinned.verify(handle)) return handle;
  await handle.close();
  return undefined;
}
