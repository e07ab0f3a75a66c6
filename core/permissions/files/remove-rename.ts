import { opendir, rename as renameFile, rmdir, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Answer, done, failed } from '../outcome.ts';
import { flagOf, type Params, textOf } from '../params.ts';
import { codeOf, fileError, fromSystemError } from './file-errors.ts';
import type { FileContext } from './files.ts';
import { LEADS_OUT, type ValidPath } from './guard.ts';
import { type Pinned, pin } from './pin.ts';
import { usingPinned } from './read-write.ts';

const LONGEST_PARAMETER = 65_536;
const DEEPEST = 64;

/** Removes the name itself: a symbolic link goes, what it leads to stays. */
export async function remove(context: FileContext, params: Params): Promise<Answer> {
  const { guard } = context;
  const entered = guard.enter('write', textOf(params, 'path', LONGEST_PARAMETER));
  if (!entered.ok) return entered;
  const { path } = entered;
  const force = flagOf(params, 'force');
  const recursive = flagOf(params, 'recursive');
  const answer = await usingPinned(parentOf(path), 'rm', async (parent) => {
    const name = posix.basename(path.absolute);
    if (!guard.admits('write', posix.join(parent.real, name))) return guard.refuse('write', path, LEADS_OUT);
    const budget = { left: context.limits.entries };
    const problem = await removeEntry(context, parent, name, recursive, budget, 0);
    if (problem === 'denied')
      return guard.refuse('write', path, 'something in it is not granted or protected.');
    if (problem === 'full') {
      return failed(
        'Error',
        `EFBIG: more than ${context.limits.entries} entries to remove in '${path.shown}'`,
        'EFBIG',
      );
    }
    if (problem === 'directory') return fileError('EISDIR', 'rm', path.shown);
    return done(null);
  });
  const isMissing = !answer.ok && 'error' in answer && answer.error.code === 'ENOENT';
  return isMissing && force ? done(null) : isMissing ? fileError('ENOENT', 'rm', path.shown) : answer;
}

type RemoveProblem = 'denied' | 'full' | 'directory' | undefined;

/** Rejects with the system's error. Directories are emptied through their own descriptors, never by path. */
async function removeEntry(
  context: FileContext,
  parent: Pinned,
  name: string,
  recursive: boolean,
  budget: { left: number },
  depth: number,
): Promise<RemoveProblem> {
  // Nobody waits for the answer any more.
  if (budget.left <= 0 || depth > DEEPEST || context.signal.aborted) return 'full';
  budget.left -= 1;
  const via = posix.join(parent.via, name);
  const entry = await pin(via, { follow: false });
  try {
    if (!context.guard.admits('write', posix.join(parent.real, name))) return 'denied';
    if (!entry.stats.isDirectory()) {
      await unlink(via);
      return undefined;
    }
    if (!recursive) return 'directory';
    for await (const child of await opendir(entry.via)) {
      const problem = await removeEntry(context, entry, child.name, true, budget, depth + 1);
      if (problem) return problem;
    }
  } finally {
    await entry.close();
  }
  await rmdir(via);
  return undefined;
}

export async function rename(context: FileContext, params: Params): Promise<Answer> {
  const { guard } = context;
  const from = guard.enter('write', textOf(params, 'from', LONGEST_PARAMETER));
  if (!from.ok) return from;
  const to = guard.enter('write', textOf(params, 'to', LONGEST_PARAMETER));
  if (!to.ok) return to;
  const shown = [from.path.shown, to.path.shown] as const;
  let source: Pinned | undefined;
  let target: Pinned | undefined;
  try {
    source = await pin(posix.dirname(from.path.absolute), { follow: true });
    target = await pin(posix.dirname(to.path.absolute), { follow: true });
    return await move(context, [source, from.path], [target, to.path]);
  } catch (error) {
    return fromSystemError(codeOf(error) === undefined ? undefined : error, 'rename', ...shown);
  } finally {
    await source?.close();
    await target?.close();
  }
}

type Place = readonly [parent: Pinned, path: ValidPath];

async function move({ guard }: FileContext, [source, from]: Place, [target, to]: Place): Promise<Answer> {
  const oldName = posix.basename(from.absolute);
  const newName = posix.basename(to.absolute);
  const [oldReal, newReal] = [posix.join(source.real, oldName), posix.join(target.real, newName)];
  if (!guard.admits('write', oldReal)) return guard.refuse('write', from, LEADS_OUT);
  if (!guard.admits('write', newReal)) return guard.refuse('write', to, LEADS_OUT);
  const entry = await pin(posix.join(source.via, oldName), { follow: false });
  const isDirectory = entry.stats.isDirectory();
  await entry.close();
  if (isDirectory && !(guard.admitsAllBelow('write', oldReal) && guard.admitsAllBelow('write', newReal))) {
    return guard.refuse('write', from, 'a directory moves only where everything in it may be written.');
  }
  // Moving must not make readable what was not.
  const opens = isDirectory ? guard.admitsBelow('read', newReal) : guard.admits('read', newReal);
  const wasOpen = isDirectory ? guard.admitsAllBelow('read', oldReal) : guard.admits('read', oldReal);
  if (opens && !wasOpen) return guard.refuse('read', from, 'moving it would make it readable.');
  await renameFile(posix.join(source.via, oldName), posix.join(target.via, newName));
  return done(null);
}

function parentOf(path: ValidPath): ValidPath {
  return { ...path, absolute: posix.dirname(path.absolute) };
}
