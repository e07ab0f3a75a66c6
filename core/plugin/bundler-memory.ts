import { readdirSync, readFileSync } from 'node:fs';
import { processUsage } from '../sandbox/process-usage.ts';

/** Resident memory of the bundler's process past which it is ended; it bundles real packages in a tenth of that. */
const MAX_BUNDLER_BYTES = 1024 * 1024 * 1024;
const LOOK_MS = 50;

let builds = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * While builds are under way, ends a bundler that hostile code makes grow without end; esbuild has no bound of its own.
 * Where there is no /proc nothing is watched.
 *
 * @returns what ends the watch.
 */
export function watchBundlerMemory(): () => void {
  builds += 1;
  timer ??= setInterval(look, LOOK_MS);
  return () => {
    builds -= 1;
    if (builds > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function look(): void {
  for (const pid of children()) {
    const usage = processUsage(pid);
    if (usage !== undefined && usage.rssBytes > MAX_BUNDLER_BYTES && isBundler(pid))
      process.kill(pid, 'SIGKILL');
  }
}

function children(): number[] {
  try {
    return readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter((pid) => pid !== '')
        .map(Number),
    );
  } catch {
    return [];
  }
}

function isBundler(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1').trim() === 'esbuild';
  } catch {
    return false;
  }
}
