import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Kind } from '../catalog/offer.ts';
import type { PluginSource } from '../config/index.ts';
import { findEntry } from '../plugin/code-only.ts';
import type { LoadOptions } from '../plugin/load-options.ts';
import { loadVersion } from '../plugin/load-version.ts';
import type { Manifest, Warning } from '../plugin/manifest.ts';
import { type OwnForm, readForm } from '../plugin/manifest-forms.ts';
import { markerOf } from '../plugin/markers.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { readManifest } from '../plugin/read-manifest.ts';
import { isRecord } from '../schema/pointer.ts';
import type { Problem } from '../schema/problem.ts';
import type { Finding, Level } from './finding.ts';
import { type JsonSource, readJsonSource } from './json-source.ts';

/** Where to find a plugin that is to be checked. */
export interface Target {
  /** Absolute. */
  readonly dir: string;
  readonly name: string;
  readonly kind: Kind;
  readonly source: PluginSource;
}

/** A plugin as far as it could be read. */
export interface Subject extends Target {
  /** Its schema.json; absent for one that is only code, and for what is no tool. */
  readonly json?: JsonSource;
  /** How the keys of schema.json are ours; absent where it is no JSON object. */
  readonly form?: OwnForm;
  readonly entry: string | undefined;
  readonly manifest?: Manifest;
  /** What is wrong in schema.json. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
  /** What is wrong elsewhere. */
  readonly loadProblems: readonly LoadProblem[];
  /** What loading tells that works all the same. */
  readonly loadWarnings: readonly Warning[];
  /** The tool, loaded. */
  readonly plugin?: PluginVersion;
}

type Loading = Pick<LoadOptions, 'limitsOf' | 'probe' | 'evaluate' | 'cacheDir'>;

/** Reads and loads a plugin; writes nothing into its directory. */
export async function readSubject(target: Target, loading: Loading): Promise<Subject> {
  const { dir, name, kind, source } = target;
  const entry = await findEntry(dir);
  const file = path.join(dir, 'schema.json');
  const text = kind === 'tool' ? await readFile(file, 'utf8').catch(() => undefined) : undefined;
  const json = text === undefined ? undefined : readJsonSource(file, text);
  const reading = text === undefined ? undefined : readManifest(text, { name });
  const loaded = await loadVersion({
    ...loading,
    ...{ dir, defaultName: name, trust: source.trust, writesTypes: false },
  });
  const plugin = loaded.ok && !('offer' in loaded.plugin) ? loaded.plugin : undefined;
  const manifest = reading?.ok === true ? reading.manifest : plugin?.manifest;
  // What schema.json is told of, readManifest has told already, with a pointer to the place.
  const isElsewhere = (problem: LoadProblem) => json === undefined || problem.file !== 'schema.json';
  const known = new Set(reading?.ok === true ? reading.warnings.map(keyOf) : []);
  return {
    ...target,
    name: manifest?.name ?? name,
    entry,
    problems: reading?.ok === false ? reading.problems : [],
    warnings: reading?.ok === true ? reading.warnings : [],
    loadProblems: loaded.ok ? [] : loaded.problems.filter(isElsewhere),
    loadWarnings: (loaded.ok ? loaded.plugin.warnings : []).filter((warning) => !known.has(keyOf(warning))),
    ...(json === undefined ? {} : { json }),
    ...(isRecord(json?.value) ? { form: readForm(json.value) } : {}),
    ...(manifest === undefined ? {} : { manifest }),
    ...(plugin === undefined ? {} : { plugin }),
  };
}

const keyOf = ({ path: where, message }: Warning): string => `${where}\n${message}`;

/** A finding at a key of schema.json, given in our own form: `/description`, `/parameters/properties/a`. */
export function findingAt(
  subject: Subject,
  pointer: string,
  rest: Pick<Finding, 'rule' | 'level' | 'message' | 'fix'> & Partial<Pick<Finding, 'safeFix'>>,
): Finding {
  const { json, dir, entry, kind, name } = subject;
  if (json === undefined) {
    const file = path.join(dir, kind === 'tool' ? (entry ?? 'index.ts') : markerOf(kind));
    return { ...rest, plugin: name, file, line: 1, column: 1 };
  }
  return { ...rest, plugin: name, file: json.file, ...json.at(rawPointer(subject, pointer)) };
}

/** Where a key of ours is in the file: an MCP tool's `/parameters` is its `/inputSchema`. */
export function rawPointer({ form }: Subject, pointer: string): string {
  const [, key = '', below = ''] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
  return form === undefined || key === '' ? pointer : `${form.at(key)}${below}`;
}

/** A finding at a place that loading has named. */
export function findingOf(
  subject: Subject,
  { file, line, column, message }: LoadProblem,
  rest: { readonly rule: string; readonly level: Level; readonly fix: string },
): Finding {
  const { dir, entry, kind, name } = subject;
  return {
    ...rest,
    plugin: name,
    file: path.resolve(dir, file ?? (kind === 'tool' ? (entry ?? 'schema.json') : markerOf(kind))),
    line: line ?? 1,
    column: column ?? 1,
    message,
  };
}
