import { constants } from 'node:fs';
import { access as accessFile, mkdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Answer, done } from '../outcome.ts';
import { flagOf, integerOf, type Params, textOf } from '../params.ts';
import { codeOf, fileError, fromSystemError } from './file-errors.ts';
import type { FileContext } from './files.ts';
import { type Guard, LEADS_OUT, type ValidPath } from './guard.ts';
import { pin } from './pin.ts';
import { kindOf } from './read-directory.ts';
import { usingPinned } from './read-write.ts';

const LONGEST_PARAMETER = 65_536;

/** Sizes and times of what may be read or written, and of the directories on the way to it. */
export async function stat(
  { guard }: FileContext,
  params: Params,
  { follow }: { readonly follow: boolean },
): Promise<Answer> {
  const entered = guard.enter('either', textOf(params, 'path', LONGEST_PARAMETER), 'below');
  if (!entered.ok) return entered;
  const { path } = entered;
  return usingPinned(
    path,
    follow ? 'stat' : 'lstat',
    async (pinned) => {
      if (!isVisible(guard, pinned.real)) return guard.refuse('read', path, LEADS_OUT);
      const { stats } = pinned;
      return done({
        kind: kindOf(stats),
        size: stats.size,
        mtimeMs: stats.mtimeMs,
        ctimeMs: stats.ctimeMs,
        birthtimeMs: stats.birthtimeMs,
        mode: stats.mode,
      });
    },
    follow,
  );
}

export async function access({ guard }: FileContext, params: Params): Promise<Answer> {
  const mode = integerOf(params, 'mode', constants.F_OK, 7);
  const wanted = mode & constants.W_OK ? 'write' : mode & constants.R_OK ? 'read' : 'either';
  const entered = guard.enter(wanted, textOf(params, 'path', LONGEST_PARAMETER), 'below');
  if (!entered.ok) return entered;
  const { path } = entered;
  return usingPinned(path, 'access', async (pinned) => {
    const open =
      wanted === 'either' ? isVisible(guard, pinned.real) : isReachable(guard, wanted, pinned.real);
    if (!open) return guard.refuse(wanted === 'write' ? 'write' : 'read', path, LEADS_OUT);
    await accessFile(pinned.via, mode);
    return done(null);
  });
}

function isReachable(guard: Guard, wanted: 'read' | 'write', real: string): boolean {
  return guard.admits(wanted, real) || guard.admitsBelow(wanted, real);
}

function isVisible(guard: Guard, real: string): boolean {
  return isReachable(guard, 'read', real) || isReachable(guard, 'write', real);
}

export async function makeDirectory({ guard }: FileContext, params: Params): Promise<Answer> {
  const entered = guard.enter('write', textOf(params, 'path', LONGEST_PARAMETER), 'below');
  if (!entered.ok) return entered;
  const { path } = entered;
  return make(guard, path, flagOf(params, 'recursive'));
}

/** One directory, in its pinned parent; with `recursive`, the parent's first. */
async function make(guard: Guard, path: ValidPath, recursive: boolean): Promise<Answer> {
  const existing = await pin(path.absolute, { follow: true }).catch(
    (error: unknown) => codeOf(error) ?? 'EIO',
  );
  if (typeof existing !== 'string') {
    const isDirectory = existing.stats.isDirectory();
    const { real } = existing;
    await existing.close();
    if (!isReachable(guard, 'write', real)) return guard.refuse('write', path, LEADS_OUT);
    return recursive && isDirectory ? done(null) : fileError('EEXIST', 'mkdir', path.shown);
  }
  if (existing !== 'ENOENT') return fileError(existing, 'mkdir', path.shown);
  const parent: ValidPath = { ...path, absolute: posix.dirname(path.absolute) };
  if (recursive && parent.absolute !== path.absolute) {
    const exists = await pin(parent.absolute, { follow: true }).catch(() => undefined);
    await exists?.close();
    if (!exists) {
      // Directories above the granted ones are the operator's to make.
      if (!isReachable(guard, 'write', parent.absolute)) return fileError('ENOENT', 'mkdir', path.shown);
      const above = await make(guard, parent, true);
      if (!above.ok) return above;
    }
  }
  return usingPinned(parent, 'mkdir', async (pinned) => {
    const name = posix.basename(path.absolute);
    if (!isReachable(guard, 'write', posix.join(pinned.real, name)))
      return guard.refuse('write', path, LEADS_OUT);
    try {
      await mkdir(posix.join(pinned.via, name), 0o755);
    } catch (error) {
      // Two calls that make the same tree meet here.
      if (!recursive || codeOf(error) !== 'EEXIST') return fromSystemError(error, 'mkdir', path.shown);
    }
    return done(null);
  });
}
