import { type Config, formatConfigProblems, readConfig } from '../config/index.ts';
import { ConfigError } from '../host-options.ts';

/**
 * Reads the config for a command that starts no host.
 *
 * @throws ConfigError when it is wrong.
 */
export async function openConfig(file: string | undefined): Promise<Config> {
  const read = await readConfig(file);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  return read.config;
}
