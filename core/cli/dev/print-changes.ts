import path from 'node:path';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Host } from '../../host.ts';
import { type CatalogChange, compareEntries } from '../catalog-changes.ts';
import { frameOfFile } from '../code-frame.ts';
import { formatTrouble, shortVersion } from '../format-entries.ts';
import { isQuietNow, oneLine, paint } from '../output.ts';

export type Say = (text: string) => void;

/** Prints each load, reload and error as it happens. Resolves what is still being printed with `settled`. */
export function printChanges({ catalog }: Host, say: Say): { settled(): Promise<void> } {
  // What comes with the host is no news.
  let before: readonly CatalogEntry[] = catalog.list().filter(({ origin }) => origin === 'builtin');
  let last: Promise<void> = Promise.resolve();
  const look = () => {
    const after = catalog.list();
    const changes = compareEntries(before, after).filter(isShown);
    before = after;
    // One after the other, or a frame that is read slowly would stand below the news of later.
    last = last.then(async () => {
      for (const change of changes) say(await formatChange(change));
    });
  };
  catalog.on('change', look);
  look();
  return { settled: () => last };
}

const isShown = ({ kind }: CatalogChange): boolean => !isQuietNow() || kind === 'broken' || kind === 'held';

const COLOURS = {
  loaded: 'green',
  reloaded: 'cyan',
  recovered: 'green',
  warned: 'yellow',
  broken: 'red',
  held: 'yellow',
  removed: 'magenta',
} as const satisfies Record<CatalogChange['kind'], Parameters<typeof paint>[1]>;

const MOST_FRAMES = 3;

async function formatChange({ kind, entry }: CatalogChange): Promise<string> {
  const stream = process.stderr;
  const gone = kind === 'removed';
  const version = gone || entry.version === undefined ? '' : ` ${shortVersion(entry.version)}`;
  const where = entry.dir === undefined ? '' : ` (${path.relative(process.cwd(), entry.dir)})`;
  const took = gone || entry.loadMs === undefined ? '' : ` in ${Math.round(entry.loadMs)} ms`;
  const line = `${paint(stream, COLOURS[kind], kind)} ${oneLine(entry.name)}${paint(stream, 'dim', version + where + took)}`;
  return [line, ...(gone ? [] : [...formatTrouble(entry, stream), ...(await framesOf(entry))])].join('\n');
}

async function framesOf({ dir, problems }: CatalogEntry): Promise<string[]> {
  if (dir === undefined) return [];
  const frames: string[] = [];
  for (const { file, line, column } of problems.slice(0, MOST_FRAMES)) {
    if (file === undefined || line === undefined) continue;
    const frame = await frameOfFile(path.resolve(dir, file), line, { column, width: frameWidth() });
    if (frame !== undefined) frames.push(indent(frame));
  }
  return frames;
}

export function frameWidth(): number {
  return Math.max(40, (process.stderr.columns ?? 110) - 14);
}

export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
