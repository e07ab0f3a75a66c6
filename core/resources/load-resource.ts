import { idOf, type Resource } from '../catalog/offer.ts';
import { type BundleRequest, bundlePlugin } from '../plugin/bundle.ts';
import { findEntry } from '../plugin/code-only.ts';
import { contentHash, versionOf } from '../plugin/content-hash.ts';
import type { LoadOptions } from '../plugin/load-options.ts';
import type { JsonSchema, Manifest, Warning } from '../plugin/manifest.ts';
import {
  type CompleterBody,
  type OfferBody,
  type OfferVersion,
  offerManifest,
} from '../plugin/offer-version.ts';
import type { LoadResult } from '../plugin/plugin-version.ts';
import { probeProblem } from '../plugin/probe-problem.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { readDirectory } from '../plugin/read-directory.ts';
import { readPluginFile, readPluginText } from '../plugin/read-plugin-file.ts';
import { createLocator } from '../plugin/source-positions.ts';
import { strayFiles } from '../plugin/stray-files.ts';
import { findTraps } from '../plugin/traps.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import type { RunOutcome, SandboxProgram } from '../sandbox/sandbox.ts';
import { MAX_SCHEMA_BYTES } from '../schema/caps.ts';
import { contentsOfFile, type ResourceContents } from './contents.ts';
import { RESOURCE_FILE, type ResourceManifest, readResource, variablesOf } from './read-resource.ts';
import { MAX_URI_CHARS } from './uri-template.ts';

/** Bytes of a resource's file. It is kept in memory: what serves is what was read and consented to. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
const ENTRY_HINT = 'name a "file" in resource.json, or add index.ts or index.js or index.mjs';

/** Reads a resource directory: resource.json, and its file or its code. Nothing of what serves now changes here. */
export async function loadResource(options: LoadOptions): Promise<LoadResult<OfferVersion>> {
  const { dir, defaultName, trust } = options;
  const failed = (
    problems: readonly LoadProblem[],
    name = defaultName,
    lacksPackage = false,
  ): LoadResult<OfferVersion> => ({
    ...{ ok: false, kind: 'resource', name: idOf('resource', name), problems, lacksPackage },
  });
  const text = await readPluginText(dir, RESOURCE_FILE, trust, MAX_SCHEMA_BYTES);
  if (!text.ok) return failed([{ file: RESOURCE_FILE, message: text.message }]);
  const read = readResource(text.text, { name: defaultName });
  if (!read.ok) return failed(read.problems);
  const { manifest } = read;
  const source: Source = { ...options, manifest, ownText: text.text };
  const loaded = manifest.file === undefined ? await loadCode(source) : await loadFile(source, manifest.file);
  if (!loaded.ok) return failed(loaded.problems, manifest.name, loaded.lacksPackage);
  const { plugin } = loaded;
  return { ok: true, plugin: { ...plugin, warnings: [...read.warnings, ...plugin.warnings] } };
}

interface Source extends LoadOptions {
  readonly manifest: ResourceManifest;
  readonly ownText: string;
}

type Loaded =
  | { readonly ok: true; readonly plugin: OfferVersion }
  | { readonly ok: false; readonly problems: readonly LoadProblem[]; readonly lacksPackage?: boolean };

async function loadFile(source: Source, file: string): Promise<Loaded> {
  const { dir, trust, manifest } = source;
  const read = await readPluginFile(dir, file, trust, MAX_FILE_BYTES);
  if (!read.ok) return { ok: false, problems: [{ file, message: read.message }] };
  const entry = await findEntry(dir);
  const warnings: Warning[] = await strayFiles(dir, 'resource', new Set([file]));
  if (entry !== undefined && entry !== file)
    warnings.push({ path: '/file', message: `is what is served; ${entry} is not used` });
  const { address, mimeType } = manifest;
  const uri = address.kind === 'uri' ? address.uri : '';
  const contents = await contentsOfFile(file, read.bytes, {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
  });
  const offer = offerOf(manifest, { mimeType: contents.mimeType, size: read.bytes.length });
  const run = async (): Promise<RunOutcome> => answerWith([contents]);
  const parts = {
    code: contentHash(file, read.bytes),
    body: { kind: 'own', run } as const,
    outside: read.outside === undefined ? [] : [read.outside],
  };
  return {
    ok: true,
    plugin: assemble(source, offer, { ...parts, warnings, locate: () => undefined, also: '' }),
  };
}

/** The answer of a reader: what the host takes out of the result's value again. */
export function answerWith(contents: readonly ResourceContents[]): RunOutcome {
  const usage = NO_USAGE;
  return { kind: 'value', json: JSON.stringify({ contents }), usage };
}

async function loadCode(source: Source): Promise<Loaded> {
  const { dir, trust, manifest, limitsOf, probe } = source;
  const entry = await findEntry(dir);
  if (entry === undefined)
    return { ok: false, problems: [{ message: `there is no content: ${ENTRY_HINT}` }] };
  const traps = await findTraps(dir, trust === 'granted');
  if (traps.length > 0) return { ok: false, problems: traps };
  const request = { dir, entry, packagesAbove: trust === 'declared' };
  const bundle = await bundlePlugin(request);
  if (!bundle.ok) return { ok: false, problems: bundle.problems, lacksPackage: bundle.lacksPackage };
  const id = idOf('resource', manifest.name);
  // Files that the code reads are part of what is read, so that a change of them is a change of the resource.
  const directory = await readDirectory(dir);
  const also = `${bundle.code}\0${directory.kind === 'read' ? directory.hash : ''}`;
  const program: SandboxProgram = {
    name: id,
    version: versionOf(also, source.ownText),
    code: bundle.code,
    state: 'fresh',
    isolation: trust === 'granted' ? 'dedicated' : 'shared',
  };
  const limits = limitsOf(manifestOf(manifest));
  const locate = createLocator(bundle.map);
  const probed = await probe(program, limits);
  if (!probed.ok) return { ok: false, problems: [probeProblem(entry, probed, locate)] };
  const body: OfferBody = { kind: 'code', program };
  const completer =
    manifest.address.kind === 'template' ? await loadCompleter(source, request, program) : undefined;
  const stray = await strayFiles(dir, 'resource', new Set(bundle.inputs.keys()));
  const { mimeType } = manifest;
  const parts = {
    code: bundle.hash,
    body: completer === undefined ? body : { ...body, completer },
    ...{ outside: bundle.outside, warnings: [...bundle.warnings, ...stray], locate, also },
  };
  const offer = offerOf(manifest, mimeType === undefined ? {} : { mimeType });
  return { ok: true, plugin: assemble(source, offer, parts) };
}

/** The export `complete`, if the code has one. */
async function loadCompleter(
  { manifest, limitsOf, probe }: Source,
  request: BundleRequest,
  program: SandboxProgram,
): Promise<CompleterBody | undefined> {
  const bundle = await bundlePlugin({ ...request, exported: 'complete' });
  if (!bundle.ok) return undefined;
  const completer = completerOf(program, bundle.code);
  const probed = await probe(completer.program, limitsOf(manifestOf(manifest)));
  return probed.ok ? completer : undefined;
}

function completerOf(program: SandboxProgram, code: string): CompleterBody {
  const text = { type: 'string' };
  return {
    program: { ...program, version: `${program.version}-complete`, code },
    parameters: {
      type: 'object',
      properties: {
        variable: text,
        value: text,
        variables: { type: 'object', additionalProperties: text },
      },
      required: ['variable', 'value', 'variables'],
      additionalProperties: false,
    },
  };
}

function offerOf(
  { name, title, description, address, complete }: ResourceManifest,
  known: Pick<Resource, 'mimeType' | 'size'>,
): Resource {
  return {
    ...{ kind: 'resource', name, description, address, values: complete },
    ...(title === undefined ? {} : { title }),
    ...known,
  };
}

function manifestOf(manifest: ResourceManifest): Manifest {
  const { name, title, description, permissions, limits, address } = manifest;
  return offerManifest({
    ...{ id: idOf('resource', name), description, permissions, limits },
    ...(title === undefined ? {} : { title }),
    parameters: parametersOf(address),
  });
}

/** What a reader is called with: the URI, and the values of the template's variables. */
function parametersOf(address: Resource['address']): JsonSchema {
  const text = { type: 'string', maxLength: MAX_URI_CHARS };
  const variables = variablesOf(address);
  const properties = variables.map(
    ({ name, isList }) => [name, isList ? { type: 'array', items: text } : text] as const,
  );
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), uri: text },
    required: ['uri', ...variables.filter(({ isRequired }) => isRequired).map(({ name }) => name)],
    additionalProperties: false,
  };
}

interface Parts extends Pick<OfferVersion, 'body' | 'outside' | 'warnings' | 'locate'> {
  readonly code: string;
  /** What makes another version of it besides code and manifest. */
  readonly also: string;
}

function assemble(
  { dir, trust, manifest, ownText }: Source,
  offer: Resource,
  { code, also, ...parts }: Parts,
): OfferVersion {
  const own = manifestOf(manifest);
  const digests = {
    code,
    description: contentHash(JSON.stringify([own.title, own.description])),
    schema: contentHash(ownText),
    permissions: contentHash(JSON.stringify(own.permissions)),
  };
  const version = versionOf(JSON.stringify([digests, own]), also);
  return { dir, trust, manifest: own, version, digests, offer, ...parts };
}
