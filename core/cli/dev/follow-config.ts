import path from 'node:path';
import { watch } from 'chokidar';
import { type Config, configPathOf, formatConfigProblems, readConfig } from '../../config/index.ts';
import { changedKeys } from '../../config-follower.ts';

const QUIET_MS = 100;

export interface ConfigChanges {
  /** It changed in more than grants, which the host itself follows. */
  readonly onChange: (keys: readonly string[]) => void;
  readonly onWrong: (text: string) => void;
}

/** Follows the config's file, which may not be there yet. Resolves when the watcher stands. */
export async function followConfig(
  first: Config,
  given: string | undefined,
  { onChange, onWrong }: ConfigChanges,
): Promise<{ close(): Promise<void> }> {
  const file = configPathOf(first);
  const dir = path.dirname(file);
  let current = first;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dir, {
    ...{ depth: 0, ignoreInitial: true, atomic: false },
    ignored: (name) => path.resolve(name) !== dir && path.resolve(name) !== file,
  });
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), QUIET_MS);
  });
  watcher.on('error', (error) =>
    onWrong(`the config is not followed: ${error instanceof Error ? error.message : 'unknown reason'}`),
  );
  const look = async () => {
    const read = await readConfig(given);
    if (!read.ok) return onWrong(`${formatConfigProblems(read)}\nThe config of before stays in force.`);
    const keys = changedKeys(current, read.config);
    current = read.config;
    if (keys.length > 0) onChange(keys);
  };
  await new Promise<void>((resolve) => {
    watcher.once('ready', resolve);
    // One that failed may never be ready.
    watcher.once('error', () => resolve());
  });
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
