import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { formatGitHub, formatJson, formatText, runCheck, type Target } from '../check/index.ts';
import {
  CONFIG_FILE,
  type Config,
  formatConfigProblems,
  type PluginSource,
  readConfig,
} from '../config/index.ts';
import { ConfigError } from '../host-options.ts';
import { kindAt } from '../plugin/code-only.ts';
import { discover } from '../plugin/discover.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { oneLine, paint, print, startProgress } from './output.ts';

export interface CheckCommandOptions {
  readonly config?: string;
  readonly fix?: boolean;
  readonly record?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly format?: 'text' | 'json' | 'github';
}

/** `glovebox check [DIR]`: 0 when nothing is wrong, 1 when something is, 2 when there is nothing to check. */
export async function check(dir: string | undefined, options: CheckCommandOptions): Promise<number> {
  const { format = 'text', json = false } = options;
  if (json && options.format !== undefined && options.format !== 'json')
    throw new UsageError(`--json and --format ${options.format} are two forms; choose one`);
  const place = await locate(dir, options.config);
  if (place.targets.length === 0)
    throw new UsageError(
      `there is no plugin in ${oneLine(dir ?? place.config.plugins.map((each) => each.dir).join(', '))}`,
    );
  const progress = startProgress('checking');
  const report = await runCheck({
    ...place,
    fix: options.fix === true,
    record: options.record === true,
    onProgress: progress.step,
  }).finally(progress.end);
  const cwd = process.cwd();
  if (json || format === 'json') await print(formatJson(report, cwd));
  else if (format === 'github') await print(formatGitHub(report, cwd));
  else await print(formatText(report, cwd, (style, text) => paint(process.stdout, style, text), oneLine));
  const isStrict = options.strict === true && report.findings.some(({ level }) => level === 'warning');
  return report.ok && !isStrict ? ExitCode.ok : ExitCode.failed;
}

interface Place {
  readonly config: Config;
  readonly targets: readonly Target[];
  readonly isAll: boolean;
}

async function locate(dir: string | undefined, configFile: string | undefined): Promise<Place> {
  if (dir === undefined) {
    const config = await configOf(configFile);
    return { config, targets: await targetsIn(config.plugins), isAll: true };
  }
  const absolute = path.resolve(dir);
  const names = await namesIn(absolute);
  if (configFile === undefined && names.includes(CONFIG_FILE)) {
    const config = await configOf(path.join(absolute, CONFIG_FILE));
    return { config, targets: await targetsIn(config.plugins), isAll: true };
  }
  const config = await configOf(configFile);
  const own = config.plugins.find(
    (source) => absolute === source.dir || absolute.startsWith(source.dir + path.sep),
  );
  const source: PluginSource = own ?? { dir: absolute, trust: 'declared', grants: {} };
  const kind = await kindAt(absolute, names);
  if (kind !== undefined && absolute !== own?.dir) {
    const name =
      own === undefined
        ? path.basename(absolute)
        : path.relative(own.dir, absolute).split(path.sep).join('.');
    return { config, targets: [{ dir: absolute, name, kind, source }], isAll: false };
  }
  const all = await targetsIn([source]);
  const targets = all.filter((target) => target.dir.startsWith(absolute + path.sep));
  return { config, targets, isAll: config.plugins.length === 1 && own?.dir === absolute };
}

async function namesIn(dir: string): Promise<string[]> {
  const info = await stat(dir).catch(() => undefined);
  if (info === undefined) throw new UsageError(`there is no directory ${oneLine(dir)}`);
  if (!info.isDirectory()) throw new UsageError(`${oneLine(dir)} is a file; name the plugin's directory`);
  return readdir(dir);
}

async function configOf(file: string | undefined): Promise<Config> {
  const read = await readConfig(file);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  return read.config;
}

async function targetsIn(sources: readonly PluginSource[]): Promise<Target[]> {
  const roots = await Promise.all(
    sources.map(async (source) => (await discover(source.dir)).found.map((found) => ({ ...found, source }))),
  );
  return roots.flat();
}
