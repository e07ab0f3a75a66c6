import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Limits } from '../config/limits.ts';
import type { ProbeOutcome, SandboxProgram } from '../sandbox/sandbox.ts';
import { bundlePlugin } from './bundle.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { LoadProblem } from './problem.ts';
import { MAX_SCHEMA_BYTES, readManifest } from './read-manifest.ts';
import { createLocator } from './source-positions.ts';
import { writeTypes } from './types.ts';

export type Trust = 'declared' | 'granted';

/** One version of one plugin, ready to be called. */
export interface PluginVersion {
  readonly dir: string;
  readonly trust: Trust;
  readonly manifest: Manifest;
  /** Hash of code, description, schema and permissions. */
  readonly version: string;
  readonly program: SandboxProgram;
  readonly warnings: readonly Warning[];
  /** Files outside the directory that are part of it (packages), absolute. */
  readonly outside: readonly string[];
  readonly locate: (stack: string) => string | undefined;
}

export type LoadResult =
  | { readonly ok: true; readonly plugin: PluginVersion }
  | { readonly ok: false; readonly name: string; readonly problems: readonly LoadProblem[] };

export interface LoadOptions {
  readonly dir: string;
  readonly defaultName: string;
  readonly trust: Trust;
  readonly limitsOf: (manifest: Manifest) => Limits;
  readonly probe: (program: SandboxProgram, limits: Limits) => Promise<ProbeOutcome>;
}

const ENTRIES = ['index.ts', 'index.js', 'index.mjs'];

/** Reads, bundles and tries a plugin directory. Nothing of what runs now changes here. */
export async function loadPlugin(options: LoadOptions): Promise<LoadResult> {
  const { dir, defaultName, trust } = options;
  const failed = (problems: readonly LoadProblem[], name = defaultName): LoadResult => ({
    ok: false,
    name,
    problems,
  });
  const read = await readSchema(dir, defaultName);
  if (!read.ok) return failed(read.problems);
  const { manifest, warnings } = read;
  const entry = await findEntry(dir);
  if (entry === undefined)
    return failed([{ message: `there is no implementation: add ${ENTRIES.join(' or ')}` }], manifest.name);
  const bundle = await bundlePlugin({ dir, entry, packagesAbove: trust === 'declared' });
  if (!bundle.ok) return failed(bundle.problems, manifest.name);
  const version = hashOf(bundle.code, manifest);
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
  const typeWarnings = trust === 'declared' ? await types(dir, manifest) : [];
  const plugin = {
    dir,
    trust,
    manifest,
    version,
    program,
    outside: bundle.outside,
    locate,
    warnings: [...warnings, ...typeWarnings],
  };
  return { ok: true, plugin };
}

type SchemaRead =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

async function readSchema(dir: string, name: string): Promise<SchemaRead> {
  const file = path.join(dir, 'schema.json');
  const wrong = (message: string): SchemaRead => ({
    ok: false,
    problems: [{ file: 'schema.json', message }],
  });
  let text: string;
  try {
    const info = await stat(file);
    if (!info.isFile()) return wrong('is no file');
    // A large one is refused before it is read.
    if (info.size > MAX_SCHEMA_BYTES) return wrong(`has ${info.size} bytes; the most is ${MAX_SCHEMA_BYTES}`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    return wrong(`can't be read (${(error as NodeJS.ErrnoException).code})`); // node:fs rejects with these
  }
  const reading = readManifest(text, { name });
  if (reading.ok) return reading;
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

function hashOf(code: string, manifest: Manifest): string {
  return createHash('sha256')
    .update(JSON.stringify(manifest))
    .update('\0')
    .update(code)
    .digest('hex')
    .slice(0, 16);
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
