import path from 'node:path';
import type { Config } from '../config/index.ts';
import { overlap, realPlace } from './installed.ts';
import { done, misused, type Outcome } from './outcome.ts';

/** The plugin directory that takes what is added. */
export interface Target {
  /** Absolute. */
  readonly dir: string;
  /** Is it among the config's `plugins` already, under trust "granted"? */
  readonly isListed: boolean;
}

export const DEFAULT_TARGET = './strangers';

/**
 * Strangers' plugins go where trust is "granted" and nowhere else: into the directory that is named, else the first such
 * one of the config, else a new one beside it.
 *
 * @param named relative to the working directory, as a command line means it.
 */
export async function chooseTarget(config: Config, named: string | undefined): Promise<Outcome<Target>> {
  const known = config.plugins.find(({ trust }) => trust === 'granted');
  if (named === undefined && known !== undefined) return done({ dir: known.dir, isListed: true });
  const dir = named === undefined ? path.resolve(config.baseDir, DEFAULT_TARGET) : path.resolve(named);
  const real = await realPlace(dir);
  for (const source of config.plugins) {
    const other = await realPlace(source.dir);
    if (!overlap(real, other)) continue;
    const shown = path.relative(config.baseDir, source.dir) || '.';
    if (real !== other)
      return misused(
        `${path.relative(process.cwd(), dir) || '.'} and the plugin directory "${shown}" of the config lie in each other, so a plugin would be found twice; name another one with --dir`,
      );
    if (source.trust !== 'granted')
      return misused(
        `"${shown}" is under trust "declared", where every request is granted without a question; name another directory with --dir`,
      );
    return done({ dir: source.dir, isListed: true });
  }
  return done({ dir, isListed: false });
}
