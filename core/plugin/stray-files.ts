import { readdir } from 'node:fs/promises';
import type { Kind } from '../catalog/offer.ts';
import { ENTRIES } from './code-only.ts';
import type { Warning } from './manifest.ts';
import { otherMarkers } from './markers.ts';

/**
 * A directory holds one thing with one entry; a file that looks like another one is told of, unless it is used. What a
 * compiler wrote beside `index.ts` is edited in vain.
 */
export async function strayFiles(dir: string, kind: Kind, used: ReadonlySet<string>): Promise<Warning[]> {
  const names: readonly string[] = await readdir(dir).catch(() => []);
  const entry = ENTRIES.find((name) => used.has(name));
  const entries: readonly string[] =
    entry === undefined ? [] : ENTRIES.filter((name) => names.includes(name));
  return [
    ...otherMarkers(kind, names)
      .filter((name) => !used.has(name))
      .map((name) => `${name} beside it is not read: give it a directory of its own`),
    ...entries
      .filter((name) => !used.has(name))
      .map((name) => `${name} is not used, since ${entry} comes first: delete one of them`),
  ].map((message) => ({ path: '', message }));
}
