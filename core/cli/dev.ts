import path from 'node:path';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { createHost } from '../host.ts';
import { formatProblem } from '../plugin/problem.ts';
import { ExitCode } from './exit-code.ts';
import { paint, say } from './output.ts';

export interface DevOptions {
  readonly config?: string;
}

/** `glovebox dev`: follows the plugin directories and says what happens, until it is interrupted. */
export async function dev(options: DevOptions): Promise<number> {
  await using host = await createHost({
    ...(options.config === undefined ? {} : { config: options.config }),
    watch: true,
    onProblem: ({ message }) => say(paint(process.stderr, 'red', message)),
    onLog: (tool, level, line) => say(`${paint(process.stderr, 'dim', `${tool} ${level}`)} ${line}`),
  });
  const versions = new Map<string, string>();
  host.catalog.on('update', (entry) => {
    if (entry.origin === 'plugin') report(entry, versions);
  });
  host.catalog.on('remove', (name) => {
    versions.delete(name);
    say(`${paint(process.stderr, 'yellow', 'removed')} ${name}`);
  });
  await host.ready;
  const count = host.catalog.tools().length;
  say(`${count} tool${count === 1 ? '' : 's'} ready; watching for changes. Ctrl-C ends.`);
  await interrupted();
  return ExitCode.ok;
}

function report(entry: CatalogEntry, versions: Map<string, string>): void {
  const key = entry.dir ?? entry.name;
  const seen = versions.has(key);
  if (entry.version !== undefined) versions.set(key, entry.version);
  if (entry.state === 'ready')
    say(
      `${paint(process.stderr, 'green', seen ? 'reloaded' : 'loaded')} ${entry.name} ${paint(process.stderr, 'dim', entry.version ?? '')}`.trimEnd(),
    );
  for (const { path: where, message } of entry.warnings)
    say(`${paint(process.stderr, 'yellow', 'warning')} ${entry.name} schema.json ${where}: ${message}`);
  if (entry.state === 'ready') return;
  const tail = entry.tool === undefined ? '' : ' (the last good version goes on serving)';
  for (const problem of entry.problems) {
    const file =
      problem.file === undefined || entry.dir === undefined
        ? undefined
        : path.join(path.basename(entry.dir), problem.file);
    say(
      `${paint(process.stderr, 'red', entry.state)} ${entry.name}: ${formatProblem({ ...problem, ...(file === undefined ? {} : { file }) })}${tail}`,
    );
  }
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
