import path from 'node:path';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { markerOf } from '../plugin/markers.ts';
import { formatProblem, type LoadProblem } from '../plugin/problem.ts';
import { oneLine, paint } from './output.ts';

const VERSION_CHARS = 8;
const KIND_CHARS = 'resource'.length;
const MAX_NAME_CHARS = 40;
const DEFAULT_COLUMNS = 120;
const MIN_DESCRIPTION_CHARS = 30;
const COLOURS = { ready: 'green', broken: 'red', held: 'yellow' } as const;

export const shortVersion = (version: string | undefined): string => version?.slice(0, VERSION_CHARS) ?? '-';

/** A table for people: one line an entry, its problems and warnings below it, and a count. */
export function formatEntries(entries: readonly CatalogEntry[], stream: NodeJS.WriteStream): string {
  if (entries.length === 0) return 'There are no tools.\n';
  const names = entries.map(({ name }) => oneLine(name));
  const nameWidth = Math.min(MAX_NAME_CHARS, Math.max('NAME'.length, ...names.map((name) => name.length)));
  // Whoever has tools alone needs no column that says so.
  const isMixed = entries.some(({ kind }) => kind !== 'tool');
  const row = (name: string, kind: string, state: string, version: string, description: string) =>
    `${name}  ${isMixed ? `${kind.padEnd(KIND_CHARS)}  ` : ''}${state}  ${version.padEnd(VERSION_CHARS)}  ${description}`.trimEnd();
  const columns = stream.columns ?? DEFAULT_COLUMNS;
  const room = Math.max(
    MIN_DESCRIPTION_CHARS,
    columns - row(' '.repeat(nameWidth), '', '      ', '', 'x').length,
  );

  const head = row('NAME'.padEnd(nameWidth), 'KIND', 'STATE ', 'VERSION', 'DESCRIPTION');
  const lines = entries.flatMap((entry, index) => {
    const name = paint(stream, 'bold', (names[index] ?? '').padEnd(nameWidth));
    const state = paint(stream, COLOURS[entry.state], entry.state.padEnd(6));
    const description = cut(firstSentence(descriptionOf(entry)), room);
    return [
      row(name, entry.kind, state, shortVersion(entry.version), description),
      ...formatTrouble(entry, stream),
    ];
  });
  return `${[paint(stream, 'dim', head), ...lines, '', count(entries)].join('\n')}\n`;
}

/** The problems and warnings of an entry, one a line, with a path that a terminal can open. */
export function formatTrouble(
  { dir, kind, problems, warnings, version, state }: CatalogEntry,
  stream: NodeJS.WriteStream,
): string[] {
  const serving = state !== 'ready' && version !== undefined;
  return [
    ...problems.map((problem) => {
      // What has changed in one that is held fills a page, and `glovebox grant` shows it.
      const [first = ''] = state === 'held' ? problem.message.split('\n') : [problem.message];
      return paint(stream, 'red', `  ${oneLine(formatProblem(locate({ ...problem, message: first }, dir)))}`);
    }),
    ...(serving ? [`  the last good version, ${shortVersion(version)}, goes on serving`] : []),
    ...warnings.map(({ path: where, message }) =>
      paint(
        stream,
        'yellow',
        // Without a place in it, the message names its own file.
        `  warning: ${oneLine(where === '' ? message : `${markerOf(kind)} ${where}: ${message}`)}`,
      ),
    ),
  ];
}

function descriptionOf({ tool, resource, prompt }: CatalogEntry): string {
  return (tool?.manifest ?? resource ?? prompt)?.description ?? '';
}

function locate(problem: LoadProblem, dir: string | undefined): LoadProblem {
  if (dir === undefined) return problem;
  return { ...problem, file: path.relative(process.cwd(), path.join(dir, problem.file ?? '')) || '.' };
}

function count(entries: readonly CatalogEntry[]): string {
  const states = ['ready', 'broken', 'held'] as const;
  const parts = states.map(
    (state) => [entries.filter((entry) => entry.state === state).length, state] as const,
  );
  return parts
    .filter(([number, state]) => number > 0 || state === 'ready')
    .map(([number, state]) => `${number} ${state}`)
    .join(', ');
}

function firstSentence(text: string): string {
  const line = oneLine(text);
  return /^.*?(?:\.(?=\s|$)|。)/.exec(line)?.[0] ?? line;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1).trimEnd()}…` : text;
}
