import { readConfig } from '../config/index.ts';
import { checkEngineBuild, checkEngineVersion, checkNode, checkWorker } from './engine.ts';
import { type Diagnosis, failed } from './finding.ts';
import { checkPlugins } from './plugins.ts';
import { checkConfig, checkDirectories, checkLock, checkWatching, checkWatchLimits } from './surroundings.ts';

export interface DiagnoseOptions {
  readonly config?: string;
  readonly onProgress?: (done: number, total: number, name: string) => void;
}

/** What every worker stands on. */
const ENGINE: ReadonlySet<string> = new Set(['node', 'isolated-vm', 'build', 'worker']);

/** Looks at all that glovebox stands on. One thing that is wrong stops nothing else from being looked at. */
export async function diagnose({ config: file, onProgress }: DiagnoseOptions = {}): Promise<Diagnosis[]> {
  const read = await readConfig(file);
  const config = read.ok ? read.config : undefined;
  const found: Diagnosis[] = [];
  // Without a worker no plugin loads, and none is to blame.
  const hasWorker = () => !found.some(({ check, status }) => ENGINE.has(check) && status === 'failed');
  const steps: readonly (readonly [name: string, look: () => Promise<Diagnosis[]>])[] = [
    ['node', async () => [checkNode()]],
    ['isolated-vm', async () => [await checkEngineVersion()]],
    ['build', async () => [await checkEngineBuild()]],
    ['worker', async () => [await checkWorker()]],
    ['watch', async () => [await checkWatching()]],
    ['watch-limits', () => checkWatchLimits(config)],
    ['config', async () => checkConfig(read)],
    ['plugins', async () => (config === undefined ? [] : checkDirectories(config))],
    ['plugins', async () => (config !== undefined && hasWorker() ? checkPlugins(config) : [])],
    ['lock', async () => (config === undefined ? [] : checkLock(config))],
  ];
  for (const [index, [name, look]] of steps.entries()) {
    onProgress?.(index, steps.length, name);
    try {
      found.push(...(await look()));
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown reason';
      found.push(failed(name, `it could not be looked at: ${reason}`, 'report it'));
    }
  }
  return found;
}
