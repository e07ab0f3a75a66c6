import { readdir } from 'node:fs/promises';
import { loadPrompt } from '../prompts/load-prompt.ts';
import { loadResource } from '../resources/load-resource.ts';
import type { LoadOptions } from './load-options.ts';
import { loadPlugin } from './load-plugin.ts';
import { kindOfDirectory } from './markers.ts';
import type { AnyVersion } from './offer-version.ts';
import type { LoadResult } from './plugin-version.ts';

/** Loads whatever the directory holds: a tool, a resource or a prompt. */
export async function loadVersion(options: LoadOptions): Promise<LoadResult<AnyVersion>> {
  const names = await readdir(options.dir).catch(() => []);
  const kind = kindOfDirectory(names) ?? 'tool';
  if (kind === 'tool') return loadPlugin(options);
  if (kind === 'prompt') return loadPrompt(options);
  return loadResource(options);
}
