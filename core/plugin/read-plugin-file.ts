import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Trust } from './plugin-version.ts';
import { readUpTo } from './read-up-to.ts';

export type FileReading =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Where it really is, if a link led out of the directory. */
      readonly outside?: string;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Reads a file of a plugin directory, bounded before it is read. In a stranger's directory no link is followed on the
 * whole way: one could show any file of this machine to a model.
 */
export async function readPluginFile(
  dir: string,
  name: string,
  trust: Trust,
  maxBytes: number,
): Promise<FileReading> {
  const wrong = (message: string): FileReading => ({ ok: false, message });
  let handle: FileHandle | undefined;
  try {
    const [home, real] = await Promise.all([realpath(dir), realpath(path.join(dir, name))]);
    const isLinked = real !== path.join(home, name);
    if (isLinked && trust === 'granted') return wrong('must be a file, not a link');
    // A pipe may have taken its place: it must not block.
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile()) return wrong('is no file');
    if (info.size > maxBytes) return wrong(`has ${info.size} bytes; the most is ${maxBytes}`);
    const bytes = await readUpTo(handle, maxBytes + 1);
    if (bytes.length > maxBytes) return wrong(`has more than ${maxBytes} bytes`);
    // A folder on the way may be another one now.
    if ((await realpath(path.join(dir, name))) !== real) return wrong('was moved while it was read');
    return { ok: true, bytes, ...(real.startsWith(home + path.sep) ? {} : { outside: real }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs rejects with these
    if (code === 'ELOOP') return wrong('must be a file, not a link');
    return wrong(code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there' : `can't be read (${code})`);
  } finally {
    await handle?.close();
  }
}

/** As {@link readPluginFile}, for text. */
export async function readPluginText(
  ...request: Parameters<typeof readPluginFile>
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }> {
  const read = await readPluginFile(...request);
  if (!read.ok) return read;
  const text = asText(read.bytes);
  return text === undefined ? { ok: false, message: 'is not UTF-8 text' } : { ok: true, text };
}

/** The text, without a byte order mark, or undefined where it is none. */
export function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
