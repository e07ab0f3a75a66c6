import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../catalog/tool.ts';
import type { Limits } from '../config/limits.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import { ENTRIES } from './code-only.ts';
import { contentHash, versionOf } from './content-hash.ts';
import type { FoundPlugin } from './discover.ts';
import type { Listings } from './listings.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { Built } from './plugin-follower.ts';
import { MAX_SCHEMA_BYTES, readManifest } from './read-manifest.ts';

const SCHEMA = 'schema.json';

type Place = Pick<FoundPlugin, 'dir' | 'name'>;

/** A tool as its schema.json tells of it; its code has not been looked at. */
export interface ListedPlugin {
  readonly manifest: Manifest;
  readonly warnings: readonly Warning[];
  /** SHA-256 of schema.json. */
  readonly schema: string;
  /** Of schema.json before it was read; see {@link stampOf}. */
  readonly stamp: string;
}

/** Reads what is listed of one of your own tools. Undefined: it needs a full load to say what is wrong with it. */
export function listPlugin(
  { dir, name, kind, files }: FoundPlugin,
  known: Listings | undefined,
): ListedPlugin | undefined {
  if (kind !== 'tool' || !files.includes(SCHEMA)) return undefined;
  if (!ENTRIES.some((entry) => files.includes(entry))) return undefined;
  const stamp = stampOf({ dir, name });
  if (stamp === undefined) return undefined;
  const listed = known?.get(dir, stamp) ?? read({ dir, name }, stamp);
  if (listed !== undefined) known?.set(dir, listed);
  return listed;
}

/** Another one means that schema.json was touched. Undefined: there is none that can be read. */
export function stampOf({ dir, name }: Place): string | undefined {
  try {
    // At once, as for the folders: there are thousands of these.
    const found = lstatSync(path.join(dir, SCHEMA));
    if (!found.isFile() || found.size > MAX_SCHEMA_BYTES) return undefined;
    return `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs} ${name}`;
  } catch {
    return undefined;
  }
}

function read({ dir, name }: Place, stamp: string): ListedPlugin | undefined {
  try {
    const text = readFileSync(path.join(dir, SCHEMA), 'utf8');
    const reading = readManifest(text, { name });
    if (!reading.ok) return undefined;
    return { manifest: reading.manifest, warnings: reading.warnings, schema: contentHash(text), stamp };
  } catch {
    return undefined;
  }
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
