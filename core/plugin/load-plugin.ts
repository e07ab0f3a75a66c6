import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Limits } from '../config/limits.ts';
import type { ProbeOutcome, SandboxProgram } from '../sandbox/sandbox.ts';
import { bundlePlugin } from './bundle.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { LoadProblem } from './problem.ts';
import { MAX_SCHEMA_BYTES, readManifest } from './read-manifest.ts';
import { createLocator } from './source-positions.ts';
import { findTraps } from './traps.ts';
import { writeTypes } from './types.ts';

export type Trust = 'declared' | 'granted';

/** One version of one plugin, ready to be called. */
export interface PluginVersion {
  readonly dir: string;
  readonly trust: Trust;
  readonly manifest: Manifest;
  /** Hash of code, description, schema and permissions. */
  readonly version: string;
  /** What consent is given to: SHA-256 of each part, the same on every machine that has the same files. */
  readonly digests: Digests;
  readonly program: SandboxProgram;
  readonly warnings: readonly Warning[];
  /** Files outside the directory that are part of it (packages), absolute. */
  readonly outside: readonly string[];
  readonly locate: (stack: string) => string | undefined;
}

export interface Digests {
  /** Of every file that was bundled, packages included. */
  readonly code: string;
  readonly description: string;
  /** Of schema.json as it was read: parameters, returns, limits and all else. */
  readonly schema: string;
  readonly permissions: string;
}

export type LoadResult =
  | { readonly ok: true; readonly plugin: PluginVersion }
  | {
      readonly ok: false;
      readonly name: string;
      readonly problems: readonly LoadProblem[];
      /** Does an import name a package that isn't installed? */
      readonly lacksPackage: boolean;
    };

export interface LoadOptions {
  readonly dir: string;
  readonly defaultName: string;
  readonly trust: Trust;
  readonly limitsOf: (manifest: Manifest) => Limits;
  readonly probe: (program: SandboxProgram, limits: Limits) => Promise<ProbeOutcome>;
}

const ENTRIES = ['index.ts', 'index.js', 'index.mjs'];
const VERSION_CHARS = 16;

/** Reads, bundles and tries a plugin directory. Nothing of what runs now changes here. */
export async function loadPlugin(options: LoadOptions): Promise<LoadResult> {
  const { dir, defaultName, trust } = options;
  const failed = (
    problems: readonly LoadProblem[],
    name = defaultName,
    lacksPackage = false,
  ): LoadResult => ({
    ok: false,
    name,
    problems,
    lacksPackage,
  });
  const read = await readSchema(dir, defaultName, trust);
  if (!read.ok) return failed(read.problems);
  const { manifest, warnings, text } = read;
  const typeWarnings = trust === 'declared' ? await types(dir, manifest) : [];
  const entry = await findEntry(dir);
  if (entry === undefined)
    return failed([{ message: `there is no implementation: add ${ENTRIES.join(' or ')}` }], manifest.name);
  const traps = await findTraps(dir, trust === 'granted');
  if (traps.length > 0) return failed(traps, manifest.name);
  const bundle = await bundlePlugin({ dir, entry, packagesAbove: trust === 'declared' });
  if (!bundle.ok) return failed(bundle.problems, manifest.name, bundle.lacksPackage);
  const digests = digest(bundle.inputs, text, manifest);
  const version = hash(JSON.stringify([digests, manifest]), bundle.code).slice(0, VERSION_CHARS);
  const program: SandboxProgram = {
    name: manifest.name,
    version,
    code: bundle.code,
    state: manifest.state,
    isolation: trust === 'granted' ? 'dedicated' : 'shared',
  };
  const locate = createLocator(bundle.map);
  const probed = await options.probe(program, options.limitsOf(manifest));
  if (!probed.ok) return failed([probeProblem(entry, probed, locate)], manifest.name);
  const plugin = {
    dir,
    trust,
    manifest,
    version,
    digests,
    program,
    outside: bundle.outside,
    locate,
    warnings: [...warnings, ...bundle.warnings, ...typeWarnings],
  };
  return { ok: true, plugin };
}

type SchemaRead =
  | {
      readonly ok: true;
      readonly manifest: Manifest;
      readonly warnings: readonly Warning[];
      readonly text: string;
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

async function readSchema(dir: string, name: string, trust: Trust): Promise<SchemaRead> {
  const wrong = (message: string): SchemaRead => ({
    ok: false,
    problems: [{ file: 'schema.json', message }],
  });
  let text: string;
  let handle: FileHandle | undefined;
  try {
    // A stranger's link could show any file of this machine to a model.
    const follow = trust === 'declared' ? 0 : constants.O_NOFOLLOW;
    handle = await open(path.join(dir, 'schema.json'), constants.O_RDONLY | constants.O_NONBLOCK | follow);
    const info = await handle.stat();
    if (!info.isFile()) return wrong('is no file');
    // A large one is refused before it is read.
    if (info.size > MAX_SCHEMA_BYTES) return wrong(`has ${info.size} bytes; the most is ${MAX_SCHEMA_BYTES}`);
    text = new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs rejects with these
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return wrong('is not UTF-8 text');
    return wrong(code === 'ELOOP' ? 'must be a file, not a link' : `can't be read (${code})`);
  } finally {
    await handle?.close();
  }
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

async function findEntry(dir: string): Promise<string | undefined> {
  const names = new Set(await readdir(dir).catch(() => []));
  return ENTRIES.find((entry) => names.has(entry));
}

function digest(inputs: ReadonlyMap<string, string>, schemaText: string, manifest: Manifest): Digests {
  return {
    code: hash(JSON.stringify([...inputs])),
    description: hash(JSON.stringify([manifest.title, manifest.description])),
    schema: hash(schemaText),
    permissions: hash(JSON.stringify(manifest.permissions)),
  };
}

function hash(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

function probeProblem(
  entry: string,
  probed: Extract<ProbeOutcome, { ok: false }>,
  locate: PluginVersion['locate'],
): LoadProblem {
  const { error, message } = probed;
  if (error?.code === 'no_default_function') {
    return {
      file: entry,
      message:
        'has no default export that is a function: `export default async function (args, ctx) { ... }`',
    };
  }
  const [file, line] = (error?.stack === undefined ? undefined : locate(error.stack))?.split(':') ?? [];
  const place =
    file === undefined ? { file: entry } : { file, ...(line === undefined ? {} : { line: Number(line) }) };
  return {
    ...place,
    message: error === undefined ? message : `loading it throws ${error.name || 'a value'}: ${message}`,
  };
}

async function types(dir: string, manifest: Manifest): Promise<Warning[]> {
  try {
    await writeTypes(dir, manifest);
    return [];
  } catch (error) {
    return [
      {
        path: '',
        message: `schema.d.ts could not be written (${error instanceof Error ? error.message.split('\n')[0] : 'unknown reason'})`,
      },
    ];
  }
}
