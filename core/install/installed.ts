import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { idOf, type Kind } from '../catalog/offer.ts';
import type { Config, PluginSource } from '../config/index.ts';
import { discover, type FoundPlugin } from '../plugin/discover.ts';
import { readPluginText } from '../plugin/read-plugin-file.ts';
import { readSchema } from '../plugin/read-schema.ts';
import { MAX_PROMPT_BYTES, PROMPT_FILE, readPrompt } from '../prompts/read-prompt.ts';
import { RESOURCE_FILE, readResource } from '../resources/read-resource.ts';
import { MAX_SCHEMA_BYTES } from '../schema/caps.ts';

/** A plugin that lies in one of the config's directories, whether it loads or not. */
export interface InstalledPlugin {
  readonly id: string;
  /** Absolute. */
  readonly dir: string;
  /** What it is called by its place alone. */
  readonly defaultName: string;
  readonly kind: Kind;
  readonly source: PluginSource;
  /** Which entry of the config's `plugins` it belongs to. */
  readonly index: number;
}

/** Everything in the plugin directories by its id. None of it is run, and what can't be read goes by its place. */
export async function listInstalled(config: Config): Promise<readonly InstalledPlugin[]> {
  const lists = await Promise.all(
    config.plugins.map(async (source, index) => {
      const { found } = await discover(source.dir);
      return Promise.all(
        found.map(async (plugin): Promise<InstalledPlugin> => {
          const id = idOf(plugin.kind, await readName(plugin, source));
          return { id, dir: plugin.dir, defaultName: plugin.name, kind: plugin.kind, source, index };
        }),
      );
    }),
  );
  return lists.flat();
}

async function readName({ dir, name, kind }: FoundPlugin, { trust }: PluginSource): Promise<string> {
  if (kind === 'tool') {
    const read = await readSchema(dir, name, trust);
    return read.ok ? read.manifest.name : name;
  }
  const [file, most] =
    kind === 'prompt' ? [PROMPT_FILE, MAX_PROMPT_BYTES] : [RESOURCE_FILE, MAX_SCHEMA_BYTES];
  const text = await readPluginText(dir, file, trust, most);
  if (!text.ok) return name;
  const read = kind === 'prompt' ? await readPrompt(text.text, { name }) : readResource(text.text, { name });
  return read.ok ? read.manifest.name : name;
}

/** Where a path really leads, even if nothing is there yet. */
export async function realPlace(file: string): Promise<string> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined) return real;
  const above = path.dirname(file);
  return above === file ? file : path.join(await realPlace(above), path.basename(file));
}

/** Is one of them in the other, or the other itself? */
export function overlap(one: string, other: string): boolean {
  const within = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
  return within(one, other) || within(other, one);
}
