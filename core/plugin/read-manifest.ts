import { parseJsonText } from '../config/json-text.ts';
import { MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, measureJson, textDepth } from '../schema/caps.ts';
import { fail, kindOf, show, warn } from '../schema/findings.ts';
import { normaliseSchema } from '../schema/normalise.ts';
import { isRecord } from '../schema/pointer.ts';
import type { Findings, Problem } from '../schema/problem.ts';
import { findSimilar } from '../schema/similar.ts';
import { type JsonSchema, MANIFEST_KEYS, type Manifest, type Warning } from './manifest.ts';
import { Fields } from './manifest-fields.ts';
import { type OwnForm, readForm } from './manifest-forms.ts';
import { isPluginName, MAX_NAME_CHARS } from './plugin-name.ts';

export { MAX_SCHEMA_BYTES } from '../schema/caps.ts';

export type ManifestReading =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const KEYS: readonly string[] = ['$schema', ...MANIFEST_KEYS];
/** Where whole catalogues keep their tools. */
const LISTS = ['tools', 'functions', 'functionDeclarations', 'function_declarations'];

/**
 * Reads the untrusted text of a schema.json: bounded before it is parsed, all problems at once, each with its path.
 * What is odd and has one reading is put right with a warning.
 */
export function readManifest(text: string, defaults: { readonly name: string }): ManifestReading {
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return refused(`is longer than ${MAX_SCHEMA_BYTES} bytes`);
  if (text.trim() === '') return refused('is empty');
  // JSON.parse itself would go as deep.
  if (textDepth(text) > MAX_SCHEMA_DEPTH * 2)
    return refused(`is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  const json = parseJsonText(text);
  if (!json.ok) return { ok: false, problems: [{ path: '', message: json.message, ...json.position }] };
  if (!isRecord(json.value)) {
    return refused(
      Array.isArray(json.value)
        ? 'is a list; a schema.json holds one tool: give each tool a directory of its own'
        : `must be an object, not ${kindOf(json.value)}`,
    );
  }
  const measured = measureJson(json.value);
  if (!measured.ok) return { ok: false, problems: [measured.problem] };
  return readTool(json.value, defaults);
}

/** As {@link readManifest}, for a tool definition that is a value already. */
export function readTool(
  raw: Readonly<Record<string, unknown>>,
  defaults: { readonly name: string },
): ManifestReading {
  const list = LISTS.find((key) => Array.isArray(raw[key]));
  if (list !== undefined && !('parameters' in raw)) {
    return refused(`holds a list of tools ("${list}"); give each tool a directory of its own`);
  }
  const findings: Findings = { problems: [], warnings: [] };
  const form = readForm(raw);
  checkKeys(form, findings);
  const { values, at } = form;
  const fields = new Fields(findings, form.isOwn);
  const parameters = readSchema(values.parameters, at('parameters'), 'object', findings);
  const returns =
    values.returns === undefined ? undefined : readSchema(values.returns, at('returns'), 'any', findings);
  const title = fields.text(values.title, at('title'));
  const approval = fields.approval(values.approval, at('approval'));
  const manifest: Manifest = {
    name: readName(form, defaults.name, findings),
    description: readDescription(form, fields, findings),
    parameters: parameters ?? {},
    examples: fields.examples(values.examples, at('examples')) ?? [],
    annotations: fields.annotations(values.annotations, at('annotations')) ?? {},
    permissions: fields.permissions(values.permissions, at('permissions')) ?? {},
    limits: fields.limits(values.limits, at('limits')) ?? {},
    state: fields.state(values.state, at('state')) ?? 'fresh',
    tags: fields.tags(values.tags, at('tags')) ?? [],
    ...(title === undefined ? {} : { title }),
    ...(returns === undefined ? {} : { returns }),
    ...(approval === undefined ? {} : { approval }),
  };
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  return { ok: true, manifest, warnings: findings.warnings };
}

function readSchema(
  raw: unknown,
  at: string,
  root: 'object' | 'any',
  findings: Findings,
): JsonSchema | undefined {
  const normalised = normaliseSchema(raw, { root, at });
  if (!normalised.ok) {
    findings.problems.push(...normalised.problems);
    return undefined;
  }
  findings.warnings.push(...normalised.warnings);
  return normalised.schema;
}

function readName({ values, at }: OwnForm, fallback: string, findings: Findings): string {
  const { name } = values;
  if (name === undefined || name === '') return fallback;
  if (typeof name !== 'string') {
    fail(findings, at('name'), `must be text, not ${kindOf(name)}`);
    return fallback;
  }
  if (!isPluginName(name)) {
    fail(findings, at('name'), `must be at most ${MAX_NAME_CHARS} printable characters; it is ${show(name)}`);
    return fallback;
  }
  return name;
}

function readDescription({ values, at }: OwnForm, fields: Fields, findings: Findings): string {
  const description = fields.text(values.description, at('description')) ?? '';
  if (description.trim() === '')
    warn(findings, at('description'), 'is missing: a model chooses a tool by its description');
  return description;
}

/** A slip of the pen is refused, and so is any unknown key in our own form; what other people's objects hold besides is left out. */
function checkKeys({ values, at, isOwn }: OwnForm, findings: Findings): void {
  for (const key of Object.keys(values)) {
    if (KEYS.includes(key)) continue;
    const meant = findSimilar(key, KEYS);
    if (meant !== undefined) fail(findings, at(key), `is an unknown key; did you mean "${meant}"?`);
    else if (isOwn) fail(findings, at(key), `is an unknown key; known are ${KEYS.slice(1).join(', ')}`);
    else warn(findings, at(key), 'is no key of a tool here; left out');
  }
}

function refused(message: string): ManifestReading {
  return { ok: false, problems: [{ path: '', message }] };
}
