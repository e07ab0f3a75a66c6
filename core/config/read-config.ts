import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ConfigProblem, checkConfig, type FoundProblem, printPath } from './check-config.ts';
import {
  AUDIT_FILE,
  CONFIG_FILE,
  type Config,
  type ConfigInput,
  DATA_DIRECTORY,
  DEFAULTS,
  type PluginSource,
} from './config.ts';
import { type JsonPath, type Position, parseJsonText } from './json-text.ts';
import type { Limits } from './limits.ts';
import { findServerProblems, readServers } from './mcp-servers.ts';
import { LIMIT_NAMES, resolveLimits } from './resolve-limits.ts';

/** A file that says more than this is no config. */
const MAX_CONFIG_BYTES = 1_048_576;

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false;
      /** Absolute; undefined when the config was an object. */
      readonly file: string | undefined;
      readonly problems: readonly ConfigProblem[];
    };

export interface ReadConfigOptions {
  /** What a relative file name, and an object's relative paths, are relative to. @defaultValue process.cwd() */
  readonly cwd?: string;
}

/**
 * Reads and checks a config; never throws for a wrong one.
 *
 * @param source a file name, the config itself, or nothing: then registry.config.json in `cwd` if there is one,
 * else the defaults. A file that is named must exist.
 */
export async function readConfig(
  source?: string | ConfigInput,
  { cwd = process.cwd() }: ReadConfigOptions = {},
): Promise<ConfigResult> {
  if (typeof source === 'object') return resolve(source, { file: undefined, baseDir: path.resolve(cwd) });

  const file = path.resolve(cwd, source ?? CONFIG_FILE);
  const text = await readText(file);
  if (text.kind === 'missing' && source === undefined) {
    return resolve({}, { file: undefined, baseDir: path.resolve(cwd) });
  }
  if (text.kind !== 'text') return { ok: false, file, problems: [{ path: '', message: text.message }] };

  const json = parseJsonText(text.text);
  if (!json.ok) return { ok: false, file, problems: [{ path: '', message: json.message, ...json.position }] };
  return resolve(json.value, { file, baseDir: path.dirname(file), positionOf: json.positionOf });
}

/** One line a problem, ready for a terminal: `registry.config.json:3:5: limits.cpuMs must be ...`. */
export function formatConfigProblems({
  file,
  problems,
}: {
  file: string | undefined;
  problems: readonly ConfigProblem[];
}): string {
  const name = file === undefined ? 'config' : path.relative(process.cwd(), file) || file;
  return problems
    .map(({ path: where, message, allowed, suggestion, line, column }) => {
      const place = line === undefined ? name : `${name}:${line}:${column}`;
      // A message about an enum names the values itself.
      const list = allowed && !message.includes('one of') ? ` Known here: ${allowed.join(', ')}.` : '';
      const guess = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
      return `${place}: ${where === '' ? '' : `${where} `}${message}.${guess}${list}`;
    })
    .join('\n');
}

type Text =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' | 'unreadable'; readonly message: string };

async function readText(file: string): Promise<Text> {
  try {
    const { size } = await stat(file);
    if (size > MAX_CONFIG_BYTES) {
      return { kind: 'unreadable', message: `is ${size} bytes long; a config may have ${MAX_CONFIG_BYTES}` };
    }
    return { kind: 'text', text: await readFile(file, 'utf8') };
  } catch (error) {
    // Every rejection of node:fs carries a code.
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return { kind: 'missing', message: 'there is no such file' };
    return { kind: 'unreadable', message: `can't be read (${code})` };
  }
}

interface Origin {
  readonly file: string | undefined;
  readonly baseDir: string;
  readonly positionOf?: (path: JsonPath) => Position | undefined;
}

function resolve(value: unknown, origin: Origin): ConfigResult {
  const checked = checkConfig(value);
  const problems = 'problems' in checked ? checked.problems : findContradictions(checked.input);
  if ('problems' in checked || problems.length > 0) {
    return { ok: false, file: origin.file, problems: problems.map((found) => place(found, origin)) };
  }
  return { ok: true, config: fillIn(checked.input, origin) };
}

/** What a JSON Schema can't say: values that are right one by one and wrong together. */
function findContradictions(input: ConfigInput): FoundProblem[] {
  const problems: FoundProblem[] = findServerProblems(input);
  const add = (segments: JsonPath, message: string) =>
    problems.push({ path: printPath(segments), segments, message });
  const ceilings: Limits = { ...DEFAULTS.ceilings, ...input.ceilings };
  for (const name of LIMIT_NAMES) {
    const limit = input.limits?.[name];
    if (limit !== undefined && limit > ceilings[name]) {
      add(
        ['limits', name],
        `is ${limit}, above the ceiling of ${ceilings[name]}; lower it, or raise ceilings.${name}`,
      );
    }
  }
  const sources = Array.isArray(input.plugins) ? input.plugins : [];
  for (const [index, source] of sources.entries()) {
    if (typeof source === 'object' && source.grants !== undefined && source.trust !== 'granted') {
      add(
        ['plugins', index, 'grants'],
        'has no effect under trust "declared", where every request is granted; set "trust": "granted", or remove it',
      );
    }
  }
  const { workers, maxProcesses } = { ...DEFAULTS.sandbox, ...input.sandbox };
  if (workers > maxProcesses) {
    add(['sandbox', 'workers'], `is ${workers}, above sandbox.maxProcesses, which is ${maxProcesses}`);
  }
  return problems;
}

function place({ segments, ...problem }: FoundProblem, origin: Origin): ConfigProblem {
  return { ...problem, ...origin.positionOf?.(segments) };
}

function fillIn(input: ConfigInput, { file, baseDir }: Origin): Config {
  const ceilings: Limits = { ...DEFAULTS.ceilings, ...input.ceilings };
  const toSource = (source: Exclude<ConfigInput['plugins'], string | undefined>[number]): PluginSource => {
    const { dir, trust = 'declared', grants = {} } = typeof source === 'string' ? { dir: source } : source;
    return { dir: path.resolve(baseDir, dir), trust, grants };
  };
  const { plugins = DEFAULTS.plugins } = input;
  return {
    file,
    baseDir,
    plugins: (typeof plugins === 'string' ? [plugins] : plugins).map(toSource),
    limits: resolveLimits({ ...DEFAULTS.limits, ...input.limits }, ceilings).limits,
    ceilings,
    sandbox: {
      ...DEFAULTS.sandbox,
      ...input.sandbox,
      quarantine: { ...DEFAULTS.sandbox.quarantine, ...input.sandbox?.quarantine },
    },
    locale: input.locale ?? DEFAULTS.locale,
    watch: input.watch ?? DEFAULTS.watch,
    result: { ...DEFAULTS.result, ...input.result },
    audit: auditOf(input.audit ?? file !== undefined, baseDir),
    approval: { ...DEFAULTS.approval, ...input.approval },
    deferAbove: input.deferAbove ?? DEFAULTS.deferAbove,
    repeats: { ...DEFAULTS.repeats, ...input.repeats },
    telemetry: { ...DEFAULTS.telemetry, ...input.telemetry },
    mcpServers: readServers(input),
  };
}

function auditOf(audit: NonNullable<ConfigInput['audit']>, baseDir: string): Config['audit'] {
  if (audit === false) return undefined;
  const { path: file = path.join(DATA_DIRECTORY, AUDIT_FILE), ...settings } = audit === true ? {} : audit;
  return { ...DEFAULTS.audit, ...settings, path: path.resolve(baseDir, file) };
}
