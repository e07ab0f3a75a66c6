import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PluginVersion } from '../plugin/plugin-version.ts';

const MAX_FILE_BYTES = 1_048_576;
const MAX_ALL_BYTES = 8 * 1_048_576;

interface SourceMap {
  readonly sources: readonly string[];
  readonly [key: string]: unknown;
}

/** The bundle with a source map in it that holds the files themselves: DevTools shows what was written. */
export async function debuggableCode({ program, map, dir }: PluginVersion): Promise<string> {
  const code = program.code.trimEnd();
  if (map === undefined) return `${code}\n//# sourceMappingURL=`;
  const parsed = JSON.parse(map) as SourceMap; // esbuild's own
  let left = MAX_ALL_BYTES;
  const contents: (string | null)[] = [];
  for (const source of parsed.sources) {
    const text = await readSource(path.resolve(dir, source), left);
    left -= text?.length ?? 0;
    contents.push(text ?? null);
  }
  const sources = parsed.sources.map((source) => pathToFileURL(path.resolve(dir, source)).href);
  const whole = JSON.stringify({ ...parsed, sources, sourcesContent: contents });
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(whole).toString('base64')}`;
}

async function readSource(file: string, left: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size <= Math.min(MAX_FILE_BYTES, left) ? await readFile(file, 'utf8') : undefined;
  } catch {
    // Our own entry is no file.
    return undefined;
  }
}
