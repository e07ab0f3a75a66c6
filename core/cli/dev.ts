import path from 'node:path';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { createHost, type Host } from '../host.ts';
import { type CatalogChange, compareEntries } from './catalog-changes.ts';
import { ExitCode } from './exit-code.ts';
import { formatTrouble, shortVersion } from './format-entries.ts';
import { oneLine, paint, say, sayLog } from './output.ts';

export interface DevOptions {
  readonly config?: string;
}

/** `glovebox dev`: follows the plugin directories and says what happens, until it is interrupted. */
export async function dev(options: DevOptions): Promise<number> {
  await using host = await createHost({
    ...(options.config === undefined ? {} : { config: options.config }),
    watch: true,
    onProblem: ({ message }) => say(paint(process.stderr, 'red', oneLine(message))),
    onLog: sayLog,
  });
  report(host);
  const interruption = interrupted();
  await Promise.race([host.ready, interruption]);
  const count = host.catalog.tools().length;
  say(`${count} tool${count === 1 ? '' : 's'} ready; watching for changes. Ctrl-C ends.`);
  await interruption;
  return ExitCode.ok;
}

function report({ catalog }: Host): void {
  let before: readonly CatalogEntry[] = catalog.list().filter(({ origin }) => origin === 'builtin');
  const tell = () => {
    const after = catalog.list();
    for (const change of compareEntries(before, after)) say(formatChange(change));
    before = after;
  };
  tell();
  catalog.on('change', tell);
}

const COLOURS = {
  loaded: 'green',
  reloaded: 'cyan',
  recovered: 'green',
  warned: 'yellow',
  broken: 'red',
  held: 'yellow',
  removed: 'magenta',
} as const satisfies Record<CatalogChange['kind'], Parameters<typeof paint>[1]>;

function formatChange({ kind, entry }: CatalogChange): string {
  const stream = process.stderr;
  const gone = kind === 'removed';
  const version = gone || entry.version === undefined ? '' : ` ${shortVersion(entry.version)}`;
  const where = entry.dir === undefined ? '' : ` (${path.relative(process.cwd(), entry.dir)})`;
  const what = entry.kind === 'tool' ? '' : `${entry.kind} `;
  const line = `${paint(stream, COLOURS[kind], kind)} ${what}${oneLine(entry.name)}${paint(stream, 'dim', version + where)}`;
  return [line, ...(gone ? [] : formatTrouble(entry, stream))].join('\n');
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    // Node would end by itself with nothing but unref'd handles open.
    const alive = setInterval(() => {}, 1 << 30);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve();
      });
    }
  });
}
