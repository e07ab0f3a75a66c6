/** What to tell the operator. Undefined: a folder that may not be read, of which the search for plugins tells. */
export function explainWatchFailure(dir: string, error: unknown, pollMs: number): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException; // chokidar passes on what node:fs gave
  if (code === 'EACCES' || code === 'EPERM') return undefined;
  return `watching ${dir} failed: ${message}.${HINTS.get(code) ?? ''} Until then it is looked at every ${pollMs / 1_000} s.`;
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', ' Raise fs.inotify.max_user_watches (sysctl).'],
  ['EMFILE', ' Raise fs.inotify.max_user_instances (sysctl) or the number of open files (ulimit -n).'],
]);
