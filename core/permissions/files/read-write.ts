import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Answer, done, failed } from '../outcome.ts';
import { base64Of, flagOf, type Params, textOf } from '../params.ts';
import { codeOf, fileError, fromSystemError } from './file-errors.ts';
import type { FileContext } from './files.ts';
import { LEADS_OUT, type ValidPath } from './guard.ts';
import { openPinned, type Pinned, pin } from './pin.ts';

const LONGEST_PARAMETER = 65_536;

export async function readFile(context: FileContext, params: Params): Promise<Answer> {
  const { guard, limits } = context;
  const entered = guard.enter('read', textOf(params, 'path', LONGEST_PARAMETER));
  if (!entered.ok) return entered;
  const { path } = entered;
  return usingPinned(path, 'open', async (pinned) => {
    if (!guard.admits('read', pinned.real) || (await guard.isProtectedFile(pinned.stats))) {
      return guard.refuse('read', path, LEADS_OUT);
    }
    const wrong = notPlain(pinned, 'read', path);
    if (wrong) return wrong;
    const handle = await openPinned(pinned, constants.O_RDONLY);
    if (!handle) return guard.refuse('read', path, LEADS_OUT);
    try {
      const bytes = await readBounded(handle, limits.readBytes);
      if (!bytes) return tooLarge(`reading '${path.shown}'`, limits.readBytes);
      return done({ data: bytes.toString('base64') });
    } finally {
      await handle.close();
    }
  });
}

export function writeFile(context: FileContext, params: Params): Promise<Answer> {
  return put(context, params, 'write');
}

export function appendFile(context: FileContext, params: Params): Promise<Answer> {
  return put(context, params, 'append');
}

async function put(context: FileContext, params: Params, kind: 'write' | 'append'): Promise<Answer> {
  const { guard, limits } = context;
  const entered = guard.enter('write', textOf(params, 'path', LONGEST_PARAMETER));
  if (!entered.ok) return entered;
  const { path } = entered;
  const data = base64Of(params, 'data', limits.writeBytes) ?? Buffer.alloc(0);
  if (data === 'too_large') return tooLarge(`writing '${path.shown}'`, limits.writeBytes);
  if (context.written + data.length > limits.totalWriteBytes) {
    return tooLarge('all writing of one call', limits.totalWriteBytes);
  }
  context.written += data.length;
  const isExclusive = flagOf(params, 'exclusive');
  const existing = await tryPin(path.absolute);
  if (existing === undefined) return create(context, path, data);
  if ('problem' in existing) return fromSystemError(existing.problem, 'open', path.shown);
  const { pinned } = existing;
  if (isExclusive) {
    await pinned.close();
    return fileError('EEXIST', 'open', path.shown);
  }
  try {
    return await overwrite(context, path, pinned, data, kind);
  } catch (error) {
    return fromSystemError(error, 'open', path.shown);
  } finally {
    await pinned.close();
  }
}

async function overwrite(
  { guard, limits }: FileContext,
  path: ValidPath,
  pinned: Pinned,
  data: Uint8Array,
  kind: 'write' | 'append',
): Promise<Answer> {
  if (!guard.admits('write', pinned.real)) return guard.refuse('write', path, LEADS_OUT);
  const wrong = notPlain(pinned, 'open', path);
  if (wrong) return wrong;
  // Another name of the file may lie where nothing was granted; which, nobody can tell.
  if (pinned.stats.nlink > 1) return guard.refuse('write', path, 'the file has other names (hard links).');
  if (kind === 'append' && pinned.stats.size + data.length > limits.fileBytes) {
    return tooLarge(`the file '${path.shown}'`, limits.fileBytes);
  }
  // Without O_TRUNC: what is opened is checked before it is emptied.
  const handle = await openPinned(pinned, constants.O_WRONLY | (kind === 'append' ? constants.O_APPEND : 0));
  if (!handle) return guard.refuse('write', path, LEADS_OUT);
  try {
    if (kind === 'write') await handle.truncate(0);
    await handle.writeFile(data);
    return done(null);
  } finally {
    await handle.close();
  }
}

/** Makes the file in its pinned directory; `O_EXCL` never follows a link that took the name meanwhile. */
async function create({ guard }: FileContext, path: ValidPath, data: Uint8Array): Promise<Answer> {
  const directory: ValidPath = { ...path, absolute: posix.dirname(path.absolute) };
  return usingPinned(directory, 'open', async (parent) => {
    const name = posix.basename(path.absolute);
    if (!parent.stats.isDirectory()) return fileError('ENOTDIR', 'open', path.shown);
    if (!guard.admits('write', posix.join(parent.real, name))) return guard.refuse('write', path, LEADS_OUT);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(posix.join(parent.via, name), flags, 0o644);
    try {
      await handle.writeFile(data);
      return done(null);
    } finally {
      await handle.close();
    }
  });
}

type Tried = { readonly pinned: Pinned } | { readonly problem: unknown } | undefined;

/** Undefined where there is nothing yet. */
async function tryPin(absolute: string): Promise<Tried> {
  try {
    return { pinned: await pin(absolute, { follow: true }) };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : { problem: error };
  }
}

/** Pins, works, lets go; system errors become the plugin's. */
export async function usingPinned(
  path: ValidPath,
  operation: string,
  work: (pinned: Pinned) => Promise<Answer>,
  follow = true,
): Promise<Answer> {
  let pinned: Pinned | undefined;
  try {
    pinned = await pin(path.absolute, { follow });
    return await work(pinned);
  } catch (error) {
    return fromSystemError(error, operation, path.shown);
  } finally {
    await pinned?.close();
  }
}

function notPlain(pinned: Pinned, operation: string, path: ValidPath): Answer | undefined {
  if (pinned.stats.isFile()) return undefined;
  if (pinned.stats.isDirectory()) return fileError('EISDIR', operation, path.shown);
  return failed('Error', `EINVAL: '${path.shown}' is a device, a pipe or a socket, not a file`, 'EINVAL');
}

async function readBounded(handle: FileHandle, limit: number): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  if (size > limit) return undefined;
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    // One byte more than it should have: files grow while they are read, and some say that they are empty.
    const buffer = Buffer.allocUnsafe(
      Math.min(1_048_576, Math.max(size - total, 4_095) + 1, limit - total + 1),
    );
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > limit) return undefined;
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

function tooLarge(what: string, limit: number): Answer {
  return failed('Error', `EFBIG: ${what} takes more than the ${limit} bytes allowed`, 'EFBIG');
}
