import path from 'node:path';
import type { Config } from '../config/index.ts';
import { discover, type FoundPlugin } from '../plugin/discover.ts';
import type { Trust } from '../plugin/plugin-version.ts';
import { MAX_SCHEMA_BYTES } from '../plugin/read-manifest.ts';
import { readPluginText } from '../plugin/read-plugin-file.ts';
import { isRecord } from '../schema/pointer.ts';

export interface ConfiguredPlugin extends FoundPlugin {
  /** Absolute. */
  readonly root: string;
  readonly trust: Trust;
}

/** The plugins of a config by the names that they are called by, without loading any: quick, and no code runs. */
export async function findPlugins({ plugins }: Config): Promise<ConfiguredPlugin[]> {
  const roots = await Promise.all(
    plugins.map(async ({ dir: root, trust }) =>
      Promise.all(
        (await discover(root)).found.map(async (found) => ({
          ...found,
          name: await nameOf(found, trust),
          root,
          trust,
        })),
      ),
    ),
  );
  return roots.flat();
}

/** A broken schema.json leaves the directory's name. */
async function nameOf({ dir, name, files }: FoundPlugin, trust: Trust): Promise<string> {
  if (!files.includes('schema.json')) return name;
  const read = await readPluginText(dir, 'schema.json', trust, MAX_SCHEMA_BYTES);
  if (!read.ok) return name;
  try {
    const value: unknown = JSON.parse(read.text);
    const tool = isRecord(value) && isRecord(value.function) ? value.function : value;
    return isRecord(tool) && typeof tool.name === 'string' && tool.name !== '' ? tool.name : name;
  } catch {
    return name;
  }
}

/** As a person in this folder would write it. */
export function relative(file: string): string {
  return path.relative(process.cwd(), file) || '.';
}
