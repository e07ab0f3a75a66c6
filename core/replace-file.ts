import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';

export interface ReplaceOptions {
  /** Of a new file, less the umask; one that was there keeps its own. @defaultValue 0o666 */
  readonly mode?: number;
  /** Wait until it is on the disk, so that a power cut leaves one of the two files whole. @defaultValue false */
  readonly durable?: boolean;
}

/**
 * Puts the whole new content in the place of the old one, or leaves the old one as it is: whoever reads meanwhile, or
 * watches, finds no half of it. Rejects as node:fs does.
 *
 * @param content - text, bytes, or pieces of text that are made one after the other.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array | Iterable<string>,
  options: ReplaceOptions = {},
): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await write(temporary, content, options, await modeOf(file));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function write(
  file: string,
  content: string | Uint8Array | Iterable<string>,
  { mode = 0o666, durable = false }: ReplaceOptions,
  kept: number | undefined,
): Promise<void> {
  await using handle = await open(file, 'wx', kept ?? mode);
  await handle.writeFile(content);
  // Whatever the umask is.
  if (kept !== undefined) await handle.chmod(kept);
  if (durable) await handle.sync();
}

async function modeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    (info) => info.mode & 0o777,
    () => undefined,
  );
}
