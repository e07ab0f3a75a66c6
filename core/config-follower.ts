import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { type Config, configPathOf, lockPathOf, readConfig } from './config/index.ts';
import type { LoadProblem } from './plugin/problem.ts';

export interface ConfigFollowerOptions {
  readonly config: Config;
  /** The grants may have changed. */
  readonly onConfig: (config: Config) => void;
  readonly onLock: () => void;
  readonly onProblem?: (problem: LoadProblem) => void;
}

/** Follows registry.config.json and registry.lock.json, so that a grant or a consent counts at once. */
export class ConfigFollower {
  readonly #options: ConfigFollowerOptions;
  #config: Config;
  #watcher: FSWatcher | undefined;

  constructor(options: ConfigFollowerOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /** Resolves when the watcher stands. */
  async start(): Promise<void> {
    const { config, onLock, onProblem } = this.#options;
    const lock = lockPathOf(config);
    const dir = path.dirname(lock);
    const files = new Set([lock, configPathOf(config)]);
    // The folder, not the files: a file that isn't there yet, or is replaced as a whole, is seen too.
    const watcher = watch(dir, {
      depth: 0,
      ignoreInitial: true,
      ignored: (file) => path.resolve(file) !== dir && !files.has(path.resolve(file)),
    });
    this.#watcher = watcher;
    watcher.on('all', (_event, file) => {
      if (path.resolve(file) === lock) onLock();
      else if (files.has(path.resolve(file))) void this.#read();
    });
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.on('error', (error) => {
        const reason = error instanceof Error ? error.message : 'unknown reason';
        onProblem?.({
          message: `following the config failed: ${reason}. Changes of it count at the next start.`,
        });
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }

  async #read(): Promise<void> {
    const { config, onConfig, onProblem } = this.#options;
    if (config.file === undefined) return;
    const read = await readConfig(config.file);
    // Half written, or wrong: what was in force stays in force.
    if (!read.ok) {
      const [problem] = read.problems;
      const where = problem?.path ? `${problem.path} ` : '';
      onProblem?.({
        message: `the config has changed and is wrong, so the old one holds: ${where}${problem?.message}`,
      });
      return;
    }
    const later = changedKeys(this.#config, read.config);
    this.#config = read.config;
    onConfig(read.config);
    if (later.length > 0)
      onProblem?.({ message: `the config has changed: ${later.join(', ')} will count at the next start` });
  }
}

/** Keys whose change is not taken up while the host runs: all but the grants. */
export function changedKeys(before: Config, after: Config): readonly string[] {
  const sources = ({ plugins }: Config) => plugins.map(({ dir, trust }) => ({ dir, trust }));
  const comparable = (config: Config): Record<string, unknown> => ({ ...config, plugins: sources(config) });
  const [one, other] = [comparable(before), comparable(after)];
  return Object.keys(other).filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}
