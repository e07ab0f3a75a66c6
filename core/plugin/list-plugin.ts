import type { Tool } from '../catalog/tool.ts';
import type { Limits } from '../config/limits.ts';
import { contentHash, versionOf } from './content-hash.ts';
import type { FoundPlugin } from './discover.ts';
import { ENTRIES, readSchema } from './load-plugin.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { Built } from './plugin-follower.ts';

/** A tool as its schema.json tells of it; its code has not been looked at. */
export interface ListedPlugin {
  readonly manifest: Manifest;
  readonly warnings: readonly Warning[];
  /** SHA-256 of schema.json. */
  readonly schema: string;
}

/** Reads what is listed of one of your own tools. Undefined: it needs a full load to say what is wrong with it. */
export async function listPlugin({ dir, name, kind, files }: FoundPlugin): Promise<ListedPlugin | undefined> {
  if (kind !== 'tool' || !files.includes('schema.json')) return undefined;
  if (!ENTRIES.some((entry) => files.includes(entry))) return undefined;
  const read = await readSchema(dir, name, 'declared');
  if (!read.ok) return undefined;
  const { manifest, warnings, text } = read;
  return { manifest, warnings, schema: contentHash(text) };
}

/** Stands for a tool until its first call, which loads its code and is handed on to it. */
export function createDeferredTool(
  { manifest, schema }: ListedPlugin,
  limits: Limits,
  demand: () => Promise<Built>,
): Tool {
  return {
    manifest,
    version: versionOf('listed', schema),
    origin: 'plugin',
    limits,
    async run(run) {
      const { state, plugin } = await demand();
      if (state.kind === 'good') {
        if (plugin?.digests.schema === schema) return state.tool.run(run);
        return {
          kind: 'unavailable',
          reason: 'its schema.json has just changed; call it again',
          usage: NO_USAGE,
        };
      }
      const [problem] = state.kind === 'gone' ? [] : state.problems;
      const place = [problem?.file, problem?.line].filter((part) => part !== undefined).join(':');
      const reason = problem === undefined ? 'it is gone' : `${place} ${problem.message}`.trim();
      return { kind: 'unavailable', reason, usage: NO_USAGE };
    },
  };
}

const NO_USAGE = { cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 };
