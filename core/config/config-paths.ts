import path from 'node:path';
import { CONFIG_FILE, type Config, DATA_DIRECTORY, LOCK_FILE } from './config.ts';

type Place = Pick<Config, 'file' | 'baseDir'>;

/** The config's own file, whether it is there or not; absolute. */
export function configPathOf({ file, baseDir }: Place): string {
  return file ?? path.join(baseDir, CONFIG_FILE);
}

/** registry.lock.json, beside the config; absolute. */
export function lockPathOf(config: Place): string {
  return path.join(path.dirname(configPathOf(config)), LOCK_FILE);
}

/** Where the host keeps what it writes: storage, audit, caches; absolute. */
export function dataPathOf({ baseDir }: Place): string {
  return path.join(baseDir, DATA_DIRECTORY);
}
