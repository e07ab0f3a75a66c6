import { readdir } from 'node:fs/promises';
import { schemaFromCode } from '../authoring/from-code/schema-from-code.ts';
import type { Bundle } from './build-cache.ts';
import { hasEntry } from './code-only.ts';
import type { LoadOptions } from './load-options.ts';
import { readManifest } from './read-manifest.ts';
import type { SchemaRead } from './read-schema.ts';

/** Is there code, and no schema.json beside it? */
export async function isCodeOnly({ dir, evaluate }: LoadOptions): Promise<boolean> {
  if (evaluate === undefined) return false;
  const names: readonly string[] = await readdir(dir).catch(() => []);
  return hasEntry(names) && !names.includes('schema.json');
}

/** In place of a schema.json, what the code says. */
export async function readCodeSchema(
  { dir, defaultName: name, trust, limitsOf, evaluate, cacheDir }: LoadOptions,
  entry: string,
  bundle: Bundle,
): Promise<SchemaRead> {
  const nothing = readManifest('{}', { name });
  if (evaluate === undefined || !nothing.ok) throw new Error('only a plugin that is only code comes here');
  const derived = await schemaFromCode({
    ...{ dir, entry, name, bundle, evaluate },
    isStranger: trust === 'granted',
    limits: limitsOf(nothing.manifest),
    ...(cacheDir === undefined ? {} : { cacheDir }),
  });
  if (!derived.ok) return derived;
  const { text, outside } = derived;
  const reading = readManifest(text, { name });
  const at = (where: string, message: string) => (where === '' ? message : `${where}: ${message}`);
  if (!reading.ok)
    return {
      ok: false,
      problems: reading.problems.map(({ path, message }) => ({ file: entry, message: at(path, message) })),
    };
  const said = derived.warnings.map((message) => ({ path: '', message: `${entry}: ${message}` }));
  return { ...reading, warnings: [...said, ...reading.warnings], text, outside };
}
