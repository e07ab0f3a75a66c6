import type { SandboxProgram } from '../sandbox/sandbox.ts';
import { trialOf } from './build-cache.ts';
import { bundlePlugin } from './bundle.ts';
import { ENTRIES, findEntry } from './code-only.ts';
import { contentHash as hash, versionOf } from './content-hash.ts';
import { findKept, keepBuild } from './keep-build.ts';
import type { LoadOptions } from './load-options.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { Digests, LoadResult } from './plugin-version.ts';
import { probeProblem } from './probe-problem.ts';
import type { LoadProblem } from './problem.ts';
import { isCodeOnly, readCodeSchema } from './read-code-schema.ts';
import { readSchema } from './read-schema.ts';
import { createLocator } from './source-positions.ts';
import { strayFiles } from './stray-files.ts';
import { findTraps } from './traps.ts';
import { hashOfTypes, writeTypes } from './types.ts';

/** Reads, bundles and tries a plugin directory. Nothing of what runs now changes here. */
export async function loadPlugin(options: LoadOptions): Promise<LoadResult> {
  const { dir, defaultName, trust } = options;
  const failed = (
    problems: readonly LoadProblem[],
    name = defaultName,
    lacksPackage = false,
  ): LoadResult => ({ ok: false, kind: 'tool', name, problems, lacksPackage });
  const written = (await isCodeOnly(options)) ? undefined : await readSchema(dir, defaultName, trust);
  if (written?.ok === false) return failed(written.problems);
  const name = written?.manifest.name;
  const entry = await findEntry(dir);
  const kept = await findKept(options, entry);
  const writesTypes = trust === 'declared' && options.writesTypes !== false;
  const isTyped = kept !== undefined && kept.types !== '' && kept.types === (await hashOfTypes(dir));
  const typeWarnings = writesTypes && !isTyped ? await writeTypesOf(dir, written?.manifest) : [];
  if (entry === undefined)
    return failed([{ message: `there is no implementation: add ${ENTRIES.join(' or ')}` }], name);
  const traps = kept === undefined ? await findTraps(dir, trust === 'granted') : [];
  if (traps.length > 0) return failed(traps, name);
  const bundle = kept?.bundle ?? (await bundlePlugin({ dir, entry, packagesAbove: trust === 'declared' }));
  if (!bundle.ok) return failed(bundle.problems, name, bundle.lacksPackage);
  const schema = written ?? (await readCodeSchema(options, entry, bundle));
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
  // Types that could not be written are tried again at the next start, which then says so again.
  const types = typeWarnings.length > 0 ? '' : ((await hashOfTypes(dir)) ?? '');
  const build = { bundle, trial, types };
  if (kept?.trial !== trial || kept.types !== build.types) await keepBuild(options, entry, build);
  const plugin = {
    ...{ dir, trust, manifest, version, digests, program, locate, map: bundle.map },
    outside: [...bundle.outside, ...(schema.outside ?? [])],
    warnings: [
      ...warnings,
      ...bundle.warnings,
      ...typeWarnings,
      ...(await strayFiles(dir, 'tool', new Set(bundle.inputs.keys()))),
    ],
  };
  return { ok: true, plugin };
}

function digest(code: string, schemaText: string, manifest: Manifest): Digests {
  return {
    code,
    description: hash(JSON.stringify([manifest.title, manifest.description])),
    schema: hash(schemaText),
    permissions: hash(JSON.stringify(manifest.permissions)),
  };
}

/** Without a schema.json the code has the types of its arguments itself. */
async function writeTypesOf(dir: string, manifest: Manifest | undefined): Promise<Warning[]> {
  try {
    await writeTypes(dir, manifest);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown reason';
    return [{ path: '', message: `schema.d.ts could not be written (${reason})` }];
  }
}
