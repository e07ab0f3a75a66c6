import type { Target } from '../adapters/index.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/offer.ts';
import { createHost, type Host } from '../host.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { formatEntries } from './format-entries.ts';
import { LIST_FORMATS } from './list-formats.ts';
import { loadingProgress, note, oneLine, print, say, sayLog } from './output.ts';

export interface ListOptions {
  readonly format?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

/** `glovebox list`: what there is, as a table, as data, or as a provider's `tools`. */
export async function list(options: ListOptions): Promise<number> {
  const { strict, json = false } = options;
  if (json && options.format !== undefined && options.format !== 'json')
    throw new UsageError(`--json and --format ${options.format} are two forms; choose one`);
  const format = json ? 'json' : options.format;
  if (format !== undefined && !LIST_FORMATS.includes(format)) {
    throw new UsageError(`--format ${format} is unknown; one of ${LIST_FORMATS.join(', ')}`);
  }
  if (strict === true && (format === undefined || format === 'json'))
    throw new UsageError('--strict goes with the format of a provider');
  const progress = loadingProgress();
  await using host = await createHost({
    onLoading: progress.onLoading,
    ...(options.config === undefined ? {} : { config: options.config }),
    watch: false,
    onProblem: ({ message }) => say(oneLine(message)),
    onLog: sayLog,
  });
  await host.ready;
  progress.end();
  await print(render(host, format, strict === true));
  return ExitCode.ok;
}

function render(host: Host, format: string | undefined, strict: boolean): string {
  if (format === undefined) return formatEntries(host.catalog.list(), process.stdout);
  if (format === 'json') return `${JSON.stringify(host.catalog.list().map(describe), null, 2)}\n`;
  const { tools, notes } = host.view().export(format as Target, { strict }); // checked by list()
  // That a constraint moved into a description is no news; what can't be used as it was is.
  for (const { kind, tool, message } of notes)
    if (kind !== 'rewritten') note(`note: ${oneLine(tool)}: ${oneLine(message)}`);
  return `${JSON.stringify(tools, null, 2)}\n`;
}

function describe(entry: CatalogEntry) {
  const { name, kind, state, version, origin, dir, problems, warnings, tool, resource, prompt } = entry;
  const { title, description, parameters, returns, annotations, examples, permissions, tags } =
    tool?.manifest ?? {};
  const offer = resource ?? prompt;
  return {
    name,
    kind,
    state,
    version,
    origin,
    dir,
    title: offer?.title ?? title,
    description: offer?.description ?? description,
    ...(resource === undefined ? {} : describeResource(resource)),
    ...(prompt === undefined ? {} : { arguments: prompt.arguments }),
    parameters,
    returns,
    annotations,
    examples,
    permissions,
    limits: tool?.limits,
    tags,
    problems,
    warnings,
  };
}

function describeResource({ address, mimeType, size, values }: Resource) {
  return {
    uri: address.kind === 'uri' ? address.uri : undefined,
    uriTemplate: address.kind === 'template' ? address.template.text : undefined,
    mimeType,
    size,
    complete: values.size === 0 ? undefined : Object.fromEntries(values),
  };
}
