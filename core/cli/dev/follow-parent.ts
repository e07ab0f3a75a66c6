import { readFileSync } from 'node:fs';

const LOOK_MS = 1_000;
const MOST_ANCESTORS = 6;

/**
 * Resolves when whoever started this process is gone. `npx` and `npm run` put a shell in between, which may outlive a
 * killed npm, so all processes up to npm are watched. Where that can't be seen only the parent is.
 */
export function parentIsGone(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  const ancestors = process.env.npm_execpath === undefined ? [] : ancestorsUpToNpm(parent);
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent && ancestors.every(isAlive)) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}

/** By Linux's /proc; elsewhere there is none, and the list is empty. */
function ancestorsUpToNpm(parent: number): number[] {
  const found: number[] = [];
  for (let pid = parent; pid > 1 && found.length < MOST_ANCESTORS; pid = parentOf(pid)) {
    found.push(pid);
    if (/^npm|\bnpx\b|npm-cli|npx-cli/.test(commandOf(pid))) return found;
  }
  return [];
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

function parentOf(pid: number): number {
  // The name in brackets may hold spaces and brackets itself; what follows it may not.
  const [, , ppid] = read(`/proc/${pid}/stat`).replace(/^.*\)/s, ')').split(' ');
  return Number(ppid ?? 0);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process that nobody has waited for is still listed.
    return !/^\) Z/.test(read(`/proc/${pid}/stat`).replace(/^.*\)/s, ')'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // process.kill throws these
  }
}
