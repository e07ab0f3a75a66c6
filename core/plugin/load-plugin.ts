import { readdir } from 'node:fs/promises';
import type { Evaluate } from '../authoring/from-code/read-exports.ts';
import { schemaFromCode } from '../authoring/from-code/schema-from-code.ts';
import type { Kind } from '../catalog/offer.ts';
import type { Limits } from '../config/limits.ts';
import type { ProbeOutcome, SandboxProgram } from '../sandbox/sandbox.ts';
import { type BuildCache, type KeptBuild, trialOf } from './build-cache.ts';
import { type BundleResult, bundlePlugin } from './bundle.ts';
import { ENTRIES, hasEntry } from './code-only.ts';
import { contentHash as hash, versionOf } from './content-hash.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { LoadProblem } from './problem.ts';
import { readDirectory } from './read-directory.ts';
import { MAX_SCHEMA_BYTES, readManifest } from './read-manifest.ts';
import { readPluginText } from './read-plugin-file.ts';
import { createLocator } from './source-positions.ts';
import { strayFiles } from './stray-files.ts';
import { findTraps } from './traps.ts';
import { hashOfTypes, writeTypes } from './types.ts';

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
  /** Source map of the code, JSON; its sources are relative to `dir`. */
  readonly map?: string;
}

export interface Digests {
  /** Of every file that was bundled, packages included, and of what their imports led to. */
  readonly code: string;
  readonly description: string;
  /** Of schema.json as it was read: parameters, returns, limits and all else. */
  readonly schema: string;
  readonly permissions: string;
}

export type LoadResult<Version = PluginVersion> =
  | { readonly ok: true; readonly plugin: Version }
  | {
      readonly ok: false;
      readonly kind: Kind;
      /** The id, as `PluginVersion.manifest.name` would be. */
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
  /** Reads what a plugin without a schema.json exports. Absent: there must be a schema.json. */
  readonly evaluate?: Evaluate | undefined;
  /** Where schemas that were read out of code are kept, absolute. @defaultValue they are not */
  readonly cacheDir?: string | undefined;
  /** Hash of the whole directory as it was read last, for what is kept of its builds. */
  readonly contents?: string | undefined;
  /** Where builds are kept. @defaultValue they are not */
  readonly builds?: BuildCache | undefined;
  /** Write schema.d.ts, where the plugin is the operator's own. @defaultValue true */
  readonly writesTypes?: boolean;
}

export { ENTRIES };

/** Reads, bundles and tries a plugin directory. Nothing of what runs now changes here. */
export async function loadPlugin(options: LoadOptions): Promise<LoadResult> {
  const { dir, defaultName, trust } = options;
  const failed = (
    problems: readonly LoadProblem[],
    name = defaultName,
    lacksPackage = false,
  ): LoadResult => ({
    ok: false,
    kind: 'tool',
    name,
    problems,
    lacksPackage,
  });
  const written = (await isCodeOnly(options)) ? undefined : await readSchema(dir, defaultName, trust);
  if (written?.ok === false) return failed(written.problems);
  const name = written?.manifest.name;
  const entry = await findEntry(dir);
  const kept = await findKept(options, entry);
  const writesTypes = trust === 'declared' && options.writesTypes !== false;
  const isTyped = kept !== undefined && kept.types === (await hashOfTypes(dir));
  const typeWarnings = writesTypes && !isTyped ? await types(dir, written?.manifest) : [];
  if (entry === undefined)
    return failed([{ message: `there is no implementation: add ${ENTRIES.join(' or ')}` }], name);
  const traps = kept === undefined ? await findTraps(dir, trust === 'granted') : [];
  if (traps.length > 0) return failed(traps, name);
  const bundle = kept?.bundle ?? (await bundlePlugin({ dir, entry, packagesAbove: trust === 'declared' }));
  if (!bundle.ok) return failed(bundle.problems, name, bundle.lacksPackage);
  const schema = written ?? (await readCode(options, entry, bundle));
  if (!schema.ok) return failed(schema.problems);
  const { manifest, warnings, text } = schema;
  const digests = digest(bundle.hash, text, manifest);
  const version = versionOf(JSON.stringify([digests, manifest]), bundle.code);
  const program: SandboxProgram = {
    name: manifest.name,
    version,
    code: bundle.code,
    state: manifest.state,
    isolation: trust === 'granted' ? 'dedicated' : 'shared',
  };
  const locate = createLocator(bundle.map);
  const limits = options.limitsOf(manifest);
  const trial = trialOf(version, limits);
  if (kept?.trial !== trial) {
    const probed = await options.probe(program, limits);
    if (!probed.ok) return failed([probeProblem(entry, probed, locate)], manifest.name);
  }
  if (kept?.trial !== trial || !isTyped)
    await keep(options, entry, { bundle, trial, types: (await hashOfTypes(dir)) ?? '' });
  const plugin = {
    dir,
    trust,
    manifest,
    version,
    digests,
    program,
    outside: [...bundle.outside, ...(schema.outside ?? [])],
    locate,
    map: bundle.map,
    warnings: [
      ...warnings,
      ...bundle.warnings,
      ...typeWarnings,
      ...(await strayFiles(dir, 'tool', new Set(bundle.inputs.keys()))),
    ],
  };
  return { ok: true, plugin };
}

type Caching = Pick<LoadOptions, 'dir' | 'trust' | 'contents' | 'builds'>;

/** What strangers' files came to is never taken from a disk. */
async function findKept(
  { dir, trust, contents, builds }: Caching,
  entry: string | undefined,
): Promise<KeptBuild | undefined> {
  if (trust !== 'declared' || contents === undefined || entry === undefined) return undefined;
  return builds?.get(dir, entry, contents);
}

async function keep(
  { dir, trust, contents, builds }: Caching,
  entry: string,
  build: KeptBuild,
): Promise<void> {
  if (trust !== 'declared' || contents === undefined || builds === undefined) return;
  // Somebody saved meanwhile: it may be of neither state.
  const now = await readDirectory(dir);
  if (now.kind === 'read' && now.hash === contents) await builds.put(entry, contents, build);
}

type SchemaRead =
  | {
      readonly ok: true;
      readonly manifest: Manifest;
      readonly warnings: readonly Warning[];
      readonly text: string;
      /** Files elsewhere that it comes from, absolute. */
      readonly outside?: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

export async function readSchema(dir: string, name: string, trust: Trust): Promise<SchemaRead> {
  const wrong = (message: string): SchemaRead => ({
    ok: false,
    problems: [{ file: 'schema.json', message }],
  });
  const read = await readPluginText(dir, 'schema.json', trust, MAX_SCHEMA_BYTES);
  if (!read.ok) return wrong(read.message);
  const { text } = read;
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

async function isCodeOnly({ dir, evaluate }: LoadOptions): Promise<boolean> {
  if (evaluate === undefined) return false;
  const names: readonly string[] = await readdir(dir).catch(() => []);
  return hasEntry(names) && !names.includes('schema.json');
}

/** In place of a schema.json, what the code says. */
async function readCode(
  { dir, defaultName: name, trust, limitsOf, evaluate, cacheDir }: LoadOptions,
  entry: string,
  bundle: Extract<BundleResult, { ok: true }>,
): Promise<SchemaRead> {
  const nothing = readManifest('{}', { name });
  if (evaluate === undefined || !nothing.ok) throw new Error('only a plugin that is only code comes here');
  const derived = await schemaFromCode({
    ...{ dir, entry, name, bundle, evaluate },
    isStranger: trust === 'granted',
    limits: limitsOf(nothing.manifest),
    ...(cacheDir === undefined ? {} : { cacheDir }),
  });
  if (!derived.ok) return derived;
  const { text, outside } = derived;
  const reading = readManifest(text, { name });
  const at = (where: string, message: string) => (where === '' ? message : `${where}: ${message}`);
  if (!reading.ok)
    return {
      ok: false,
      problems: reading.problems.map(({ path, message }) => ({ file: entry, message: at(path, message) })),
    };
  const said = derived.warnings.map((message) => ({ path: '', message: `${entry}: ${message}` }));
  return { ...reading, warnings: [...said, ...reading.warnings], text, outside };
}

export async function findEntry(dir: string): Promise<string | undefined> {
  const names = new Set(await readdir(dir).catch(() => []));
  return ENTRIES.find((entry) => names.has(entry));
}

function digest(code: string, schemaText: string, manifest: Manifest): Digests {
  return {
    code,
    description: hash(JSON.stringify([manifest.title, manifest.description])),
    schema: hash(schemaText),
    permissions: hash(JSON.stringify(manifest.permissions)),
  };
}

export function probeProblem(
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

/** Without a schema.json the code has the types of its arguments itself. */
async function types(dir: string, manifest: Manifest | undefined): Promise<Warning[]> {
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
