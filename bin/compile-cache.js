import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Lets Node keep what it compiled, for the next start. What lies there is run as code, so the place must be the user's
 * alone; without such a one nothing is kept. Node's own variables, where they are set, decide instead.
 */
export function keepCompiled() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_COMPILE_CACHE !== undefined || NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  try {
    const dir = path.join(cacheHome(), 'glovebox');
    // Under sudo it may be the home of whoever called it, where root's folders would be in the way.
    if (!withFoldersAbove(nearestFolder(dir)).every(isSafe)) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // Where it really is: a link on the way there could be turned from now on.
    const real = realpathSync(dir);
    if (isOwn(dir) && withFoldersAbove(real).every(isSafe)) enableCompileCache(real);
  } catch {
    // A home that is read-only, or none: the start is slower, and that is all.
  }
}

function cacheHome() {
  const { XDG_CACHE_HOME = '' } = process.env;
  return path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homedir(), '.cache');
}

/** Nobody else can enter it. A link is none, and Windows has no such modes. */
function isOwn(dir) {
  const found = lstatSync(dir);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

/** Nobody else can put another folder in the place of one in it. */
function isSafe(dir) {
  const { uid, mode } = lstatSync(dir);
  const isSticky = (mode & 0o1000) !== 0;
  return (uid === 0 || uid === process.getuid?.()) && ((mode & 0o022) === 0 || isSticky);
}

function nearestFolder(dir) {
  return existsSync(dir) ? realpathSync(dir) : nearestFolder(path.dirname(dir));
}

/** @param dir without links. */
function withFoldersAbove(dir) {
  const above = path.dirname(dir);
  return above === dir ? [dir] : [dir, ...withFoldersAbove(above)];
}
