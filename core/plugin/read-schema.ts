import type { Manifest, Warning } from './manifest.ts';
import type { Trust } from './plugin-version.ts';
import type { LoadProblem } from './problem.ts';
import { MAX_SCHEMA_BYTES, readManifest } from './read-manifest.ts';
import { readPluginText } from './read-plugin-file.ts';

export type SchemaRead =
  | {
      readonly ok: true;
      readonly manifest: Manifest;
      readonly warnings: readonly Warning[];
      readonly text: string;
      /** Files elsewhere that it comes from, absolute. */
      readonly outside?: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/** Reads a plugin's schema.json, and nothing else of it. */
export async function readSchema(dir: string, name: string, trust: Trust): Promise<SchemaRead> {
  const read = await readPluginText(dir, 'schema.json', trust, MAX_SCHEMA_BYTES);
  if (!read.ok) return { ok: false, problems: [{ file: 'schema.json', message: read.message }] };
  const { text } = read;
  const reading = readManifest(text, { name });
  if (reading.ok) return { ...reading, text };
  return {
    ok: false,
    problems: reading.problems.map(({ path: where, message, ...position }) => ({
      file: 'schema.json',
      ...position,
      message: where === '' ? message : `${where}: ${message}`,
    })),
  };
}
