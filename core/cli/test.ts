import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suggestNames } from '../call/suggest-names.ts';
import { formatConfigProblems, readConfig } from '../config/index.ts';
import { ConfigError } from '../host-options.ts';
import { runPluginTests } from '../testing/run-tests.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { type ConfiguredPlugin, findPlugins, relative } from './find-plugins.ts';
import { note, oneLine, print, say } from './output.ts';

export interface TestOptions {
  readonly config?: string;
  readonly record?: boolean;
  readonly json?: boolean;
  readonly strangers?: boolean;
}

const TEST_FILE = /\.test\.(?:[mc]?js|m?ts)$/;

/** `glovebox test [NAME]`. */
export async function test(name: string | undefined, options: TestOptions): Promise<number> {
  const read = await readConfig(options.config);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  const all = await findPlugins(read.config);
  const named = name === undefined ? all : all.filter((plugin) => plugin.name === name);
  if (name !== undefined && named.length === 0) throw new UsageError(unknownText(name, all));
  const tested = await withTests(named);
  const strangers = tested.filter(({ trust }) => trust === 'granted');
  if (options.strangers !== true)
    for (const stranger of strangers)
      say(
        `${oneLine(stranger.name)}: not tested. It is under trust "granted", and a test file runs outside the wall, with all your rights. Read it, then add --strangers.`,
      );
  const chosen = options.strangers === true ? tested : tested.filter(({ trust }) => trust === 'declared');
  if (chosen.length === 0) {
    const where = name === undefined ? "a plugin's directory" : oneLine(relative(named[0]?.dir ?? ''));
    if (strangers.length === 0) say(`There is no test: add index.test.ts to ${where}.`);
    return ExitCode.failed;
  }
  note(`Testing ${chosen.map((plugin) => oneLine(plugin.name)).join(', ')}`);
  const outcome = await runPluginTests({
    root: read.config.baseDir,
    dirs: chosen.map(({ dir }) => dir),
    record: options.record === true,
    silent: options.json === true,
  });
  if (outcome.kind === 'no_vitest')
    throw new UsageError('glovebox test needs vitest, which is not installed here: npm install -D vitest');
  if (options.json === true) {
    const { passed: ok, tests } = outcome;
    await print(`${JSON.stringify({ ok, tests }, null, 2)}\n`);
  }
  return outcome.passed ? ExitCode.ok : ExitCode.failed;
}

async function withTests(plugins: readonly ConfiguredPlugin[]): Promise<ConfiguredPlugin[]> {
  const tested: ConfiguredPlugin[] = [];
  for (const plugin of plugins) {
    const names = await readdir(plugin.dir, { recursive: true }).catch(() => []);
    if (names.some((file) => TEST_FILE.test(file) && !file.split(path.sep).includes('node_modules')))
      tested.push(plugin);
  }
  return tested;
}

function unknownText(name: string, all: readonly ConfiguredPlugin[]): string {
  const names = all.map((plugin) => plugin.name);
  const [meant] = suggestNames(name, names);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `there is no plugin "${name}".${hint}`;
}
