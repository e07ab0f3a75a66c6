import { TARGETS, type Target } from '../adapters/index.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { createHost, type Host } from '../host.ts';
import { formatProblem } from '../plugin/problem.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { paint, print, say } from './output.ts';

export interface ListOptions {
  readonly format?: string;
  readonly strict?: boolean;
  readonly config?: string;
}

export const LIST_FORMATS: readonly string[] = ['json', ...TARGETS];

/** `glovebox list`: what there is, as a table, as data, or as a provider's `tools`. */
export async function list(options: ListOptions): Promise<number> {
  const { format, strict } = options;
  if (format !== undefined && !LIST_FORMATS.includes(format)) {
    throw new UsageError(`--format ${format} is unknown; one of ${LIST_FORMATS.join(', ')}`);
  }
  if (strict === true && (format === undefined || format === 'json'))
    throw new UsageError('--strict goes with the format of a provider');
  await using host = await createHost({
    ...(options.config === undefined ? {} : { config: options.config }),
    watch: false,
    onProblem: ({ message }) => say(message),
  });
  await host.ready;
  await print(render(host, format, strict === true));
  return ExitCode.ok;
}

function render(host: Host, format: string | undefined, strict: boolean): string {
  if (format === undefined) return table(host.catalog.list());
  if (format === 'json') return `${JSON.stringify(host.catalog.list().map(describe), null, 2)}\n`;
  return `${JSON.stringify(host.view().tools(format as Target, { strict }), null, 2)}\n`; // checked by list()
}

function describe(entry: CatalogEntry) {
  const { name, state, version, origin, problems, warnings, tool } = entry;
  const { title, description, parameters, returns, annotations, tags } = tool?.manifest ?? {};
  return {
    name,
    state,
    version,
    origin,
    title,
    description,
    parameters,
    returns,
    annotations,
    tags,
    problems,
    warnings,
  };
}

function table(entries: readonly CatalogEntry[]): string {
  const width = Math.max(4, ...entries.map(({ name }) => name.length));
  const lines = entries.flatMap((entry) => {
    const mark =
      entry.state === 'ready'
        ? ''
        : paint(
            process.stdout,
            'red',
            ` [${entry.state}${entry.tool === undefined ? '' : ', the last good version serves'}]`,
          );
    const first =
      `${entry.name.padEnd(width)}  ${firstSentence(entry.tool?.manifest.description ?? '')}${mark}`.trimEnd();
    const problems = entry.problems.map(
      (problem) => `${' '.repeat(width)}  ${paint(process.stdout, 'red', formatProblem(problem))}`,
    );
    const warnings = entry.warnings.map(
      ({ path, message }) =>
        `${' '.repeat(width)}  ${paint(process.stdout, 'yellow', `schema.json ${path}: ${message}`)}`,
    );
    return [first, ...problems, ...warnings];
  });
  return lines.length === 0 ? 'There are no tools.\n' : `${lines.join('\n')}\n`;
}

function firstSentence(text: string): string {
  const sentence = /^.*?[.。](?=\s|$)/s.exec(text)?.[0] ?? text;
  const line = sentence.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
