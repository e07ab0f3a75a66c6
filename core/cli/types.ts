import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { formatConfigProblems, readConfig } from '../config/index.ts';
import { ConfigError } from '../host-options.ts';
import { kindAt } from '../plugin/code-only.ts';
import { discover, type FoundPlugin } from '../plugin/discover.ts';
import { formatProblem } from '../plugin/problem.ts';
import { readSchema } from '../plugin/read-schema.ts';
import { TYPES_FILE, writeTypes } from '../plugin/types.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { relative } from './find-plugins.ts';
import { note, oneLine, say } from './output.ts';

export interface TypesOptions {
  readonly config?: string;
}

/** `glovebox types [DIR]`. */
export async function types(dir: string | undefined, options: TypesOptions): Promise<number> {
  const found = dir === undefined ? await configured(options) : await within(path.resolve(dir));
  const counts = { written: 0, unchanged: 0, failed: 0 };
  for (const plugin of found) counts[await write(plugin)] += 1;
  note(
    `${counts.written} written, ${counts.unchanged} up to date${counts.failed === 0 ? '' : `, ${counts.failed} failed`}`,
  );
  return counts.failed === 0 ? ExitCode.ok : ExitCode.failed;
}

async function write({ dir, name, files }: FoundPlugin): Promise<'written' | 'unchanged' | 'failed'> {
  const failed = (text: string) => {
    say(oneLine(`${relative(dir)}: ${text}`));
    return 'failed' as const;
  };
  // A plugin that is only code has its types there; it gets those of its context.
  const read = files.includes('schema.json') ? await readSchema(dir, name, 'declared') : undefined;
  if (read?.ok === false) {
    for (const problem of read.problems) failed(formatProblem(problem));
    return 'failed';
  }
  try {
    const outcome = await writeTypes(dir, read?.manifest);
    if (outcome === 'written') note(oneLine(relative(path.join(dir, TYPES_FILE))));
    return outcome;
  } catch (error) {
    return failed(
      `${TYPES_FILE} can't be written (${error instanceof Error ? error.message : 'unknown reason'})`,
    );
  }
}

async function configured({ config }: TypesOptions): Promise<FoundPlugin[]> {
  const read = await readConfig(config);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  const own = read.config.plugins.filter(({ trust }) => trust === 'declared');
  const found = await Promise.all(own.map(({ dir }) => toolsIn(dir)));
  return found.flat();
}

async function within(dir: string): Promise<FoundPlugin[]> {
  const info = await stat(dir).catch(() => undefined);
  if (info?.isDirectory() !== true) throw new UsageError(`there is no directory ${relative(dir)}`);
  const files = await readdir(dir);
  if ((await kindAt(dir, files)) === 'tool') return [{ dir, name: path.basename(dir), kind: 'tool', files }];
  const found = await toolsIn(dir);
  if (found.length === 0) throw new UsageError(`there is no plugin in ${relative(dir)}`);
  return found;
}

async function toolsIn(dir: string): Promise<FoundPlugin[]> {
  const { found, problems } = await discover(dir);
  for (const problem of problems) say(oneLine(`${relative(problem.dir)}: ${problem.message}`));
  return found.filter(({ kind }) => kind === 'tool');
}
