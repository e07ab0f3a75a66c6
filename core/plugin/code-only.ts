import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Kind } from '../catalog/offer.ts';
import { isMarker, kindOfDirectory } from './markers.ts';

/** A plugin's implementation, the first that is there. */
export const ENTRIES: readonly string[] = ['index.ts', 'index.js', 'index.mjs'];
const MAX_DEPTH = 6;

export function hasEntry(names: readonly string[]): boolean {
  return ENTRIES.some((entry) => names.includes(entry));
}

export async function findEntry(dir: string): Promise<string | undefined> {
  const names = new Set(await readdir(dir).catch(() => []));
  return ENTRIES.find((entry) => names.has(entry));
}

/**
 * What the directory holds, if it is a plugin: by its marker, or a tool that is only code, whose schema is read out of
 * it. Code beside folders that hold marked plugins is what they share, and makes no plugin of their group.
 */
export async function kindAt(dir: string, names: readonly string[]): Promise<Kind | undefined> {
  const marked = kindOfDirectory(names);
  if (marked !== undefined || !hasEntry(names)) return marked;
  return (await hasMarkerBelow(dir, MAX_DEPTH)) ? undefined : 'tool';
}

async function hasMarkerBelow(dir: string, depth: number): Promise<boolean> {
  if (depth === 0) return false;
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const child = path.join(dir, entry.name);
    const names = await readdir(child).catch(() => []);
    if (names.some(isMarker) || (await hasMarkerBelow(child, depth - 1))) return true;
  }
  return false;
}
