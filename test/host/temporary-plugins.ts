import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CatalogEntry, Host } from '../../core/index.ts';

export const SCHEMA = {
  description: 'Answers with a fixed text. Use it in tests.',
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  annotations: { readOnly: true },
};

/** A directory of plugins that is gone after the test. */
export async function temporaryRoot(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-test-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

export async function writePlugin(
  root: string,
  name: string,
  code: string,
  schema: unknown = SCHEMA,
): Promise<string> {
  const dir = path.join(root, name);
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'index.js'), code);
  await writeFile(
    path.join(dir, 'schema.json'),
    typeof schema === 'string' ? schema : JSON.stringify(schema),
  );
  return dir;
}

export const answering = (text: string): string => `export default () => ${JSON.stringify(text)};\n`;

/** The next thing that the catalog tells of this plugin. */
export function nextUpdate(host: Host, name: string): Promise<CatalogEntry> {
  return new Promise((resolve) => {
    const listener = (entry: CatalogEntry) => {
      if (entry.name !== name) return;
      host.catalog.off('update', listener);
      resolve(entry);
    };
    host.catalog.on('update', listener);
  });
}

export async function answer(host: Host, name: string): Promise<string> {
  return (await host.call({ name, arguments: {} })).content;
}
