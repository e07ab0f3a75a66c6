import type { Resource } from '../catalog/offer.ts';
import { type JsonText, parseJsonText } from '../config/json-text.ts';
import type { Limits } from '../config/limits.ts';
import type { PermissionRequest, Warning } from '../plugin/manifest.ts';
import { Fields } from '../plugin/manifest-fields.ts';
import { isPluginName } from '../plugin/plugin-name.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { isUnread } from '../plugin/read-directory.ts';
import { MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, textDepth } from '../schema/caps.ts';
import { fail, kindOf, show, warn } from '../schema/findings.ts';
import { isRecord, pathKeys, pointerTo } from '../schema/pointer.ts';
import type { Findings, Problem } from '../schema/problem.ts';
import { findSimilar } from '../schema/similar.ts';
import { MAX_URI_CHARS, readUriTemplate, type UriTemplate } from './uri-template.ts';

export const RESOURCE_FILE = 'resource.json';

/** resource.json, read and checked. */
export interface ResourceManifest {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly address: Resource['address'];
  readonly mimeType?: string;
  /** Inside the directory, with `/`. Absent: an implementation reads it. */
  readonly file?: string;
  readonly permissions: PermissionRequest;
  readonly limits: Partial<Limits>;
  readonly complete: ReadonlyMap<string, readonly string[]>;
}

export type ResourceReading =
  | { readonly ok: true; readonly manifest: ResourceManifest; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

const KEYS = [
  '$schema',
  'name',
  'title',
  'description',
  'uri',
  'uriTemplate',
  'mimeType',
  'file',
  'permissions',
  'limits',
  'complete',
];
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:\s*;[ \w.+=";-]{0,200})?$/;
const MAX_VALUES = 1_000;
const MAX_VALUE_CHARS = 500;

/** Reads the untrusted text of a resource.json: all problems at once, each with its line. */
export function readResource(text: string, defaults: { readonly name: string }): ResourceReading {
  const whole = (message: string): ResourceReading => ({
    ok: false,
    problems: [{ file: RESOURCE_FILE, message }],
  });
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return whole(`is longer than ${MAX_SCHEMA_BYTES} bytes`);
  if (textDepth(text) > MAX_SCHEMA_DEPTH * 2)
    return whole(`is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  const json = parseJsonText(text);
  if (!json.ok)
    return { ok: false, problems: [{ file: RESOURCE_FILE, ...json.position, message: json.message }] };
  if (!isRecord(json.value)) return whole(`must be an object, not ${kindOf(json.value)}`);
  const findings: Findings = { problems: [], warnings: [] };
  const manifest = readFields(json.value, defaults.name, findings);
  if (findings.problems.length > 0)
    return { ok: false, problems: findings.problems.map((problem) => placed(problem, json)) };
  return { ok: true, manifest, warnings: findings.warnings };
}

function readFields(
  raw: Readonly<Record<string, unknown>>,
  defaultName: string,
  findings: Findings,
): ResourceManifest {
  for (const key of Object.keys(raw)) {
    if (KEYS.includes(key)) continue;
    const meant = findSimilar(key, KEYS);
    const hint = meant === undefined ? `known are ${KEYS.slice(1).join(', ')}` : `did you mean "${meant}"?`;
    fail(findings, pointerTo('', key), `is an unknown key; ${hint}`);
  }
  const fields = new Fields(findings, true);
  const name = fields.text(raw.name, '/name') ?? defaultName;
  if (!isPluginName(name)) fail(findings, '/name', 'must be at most 128 printable characters');
  const title = fields.text(raw.title, '/title');
  const description = fields.text(raw.description, '/description') ?? '';
  if (description.trim() === '')
    warn(findings, '/description', 'is missing: a model chooses what to read by its description');
  const mimeType = fields.text(raw.mimeType, '/mimeType');
  if (mimeType !== undefined && !MIME_TYPE.test(mimeType))
    fail(findings, '/mimeType', `must be a media type like "text/markdown"; it is ${show(mimeType)}`);
  const address = readAddress(raw, findings);
  const file = readFileName(raw.file, address, findings);
  return {
    name,
    description,
    address: address ?? { kind: 'uri', uri: '' },
    permissions: fields.permissions(raw.permissions, '/permissions') ?? {},
    limits: fields.limits(raw.limits, '/limits') ?? {},
    complete: readComplete(raw.complete, address, findings),
    ...(title === undefined ? {} : { title }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(file === undefined ? {} : { file }),
  };
}

function readAddress(
  { uri, uriTemplate }: Readonly<Record<string, unknown>>,
  findings: Findings,
): Resource['address'] | undefined {
  if (uri !== undefined && uriTemplate !== undefined)
    return refused(findings, '/uriTemplate', 'stands beside "uri"; a resource has one of the two');
  if (uri === undefined && uriTemplate === undefined)
    return refused(
      findings,
      '',
      'needs a "uri" (for one) or a "uriTemplate" (for many, like "notes://{id}")',
    );
  if (uriTemplate !== undefined) {
    if (typeof uriTemplate !== 'string')
      return refused(findings, '/uriTemplate', `must be text, not ${kindOf(uriTemplate)}`);
    const read = readUriTemplate(uriTemplate);
    if (!read.ok) return refused(findings, '/uriTemplate', read.message);
    return { kind: 'template', template: read.template };
  }
  if (typeof uri !== 'string') return refused(findings, '/uri', `must be text, not ${kindOf(uri)}`);
  if (uri.length > MAX_URI_CHARS)
    return refused(findings, '/uri', `is longer than ${MAX_URI_CHARS} characters`);
  if (/[{}]/.test(uri)) return refused(findings, '/uri', 'holds a variable: that is a "uriTemplate"');
  if (!/^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(uri) || !URL.canParse(uri))
    return refused(findings, '/uri', `must be a whole URI like "docs://guide"; it is ${show(uri)}`);
  return { kind: 'uri', uri };
}

function readFileName(
  file: unknown,
  address: Resource['address'] | undefined,
  findings: Findings,
): string | undefined {
  if (file === undefined) return undefined;
  if (typeof file !== 'string' || file === '')
    return refused(findings, '/file', 'must be the name of a file in this directory');
  if (address?.kind === 'template')
    return refused(findings, '/file', 'goes with "uri"; a template needs an implementation that reads');
  const parts = file.replace(/^\.\//, '').split('/');
  if (file.includes('\\') || file.includes('\0') || parts.some((part) => ['', '.', '..'].includes(part)))
    return refused(findings, '/file', `must lie inside the plugin's directory; it is ${show(file)}`);
  // What no watcher and no hash looks at can't be followed either.
  if (parts.some(isUnread))
    return refused(
      findings,
      '/file',
      'must be no dot file, no package and no backup of an editor: those are not followed',
    );
  return parts.join('/');
}

function readComplete(
  complete: unknown,
  address: Resource['address'] | undefined,
  findings: Findings,
): ReadonlyMap<string, readonly string[]> {
  const read = new Map<string, readonly string[]>();
  if (complete === undefined) return read;
  if (!isRecord(complete)) {
    fail(findings, '/complete', `must be an object of variable to values, not ${kindOf(complete)}`);
    return read;
  }
  const names = variablesOf(address).map(({ name }) => name);
  for (const [name, values] of Object.entries(complete)) {
    const at = pointerTo('/complete', name);
    if (!names.includes(name))
      fail(
        findings,
        at,
        `is no variable of the template; ${names.length === 0 ? 'it has none' : `those are ${names.join(', ')}`}`,
      );
    else if (!isValues(values))
      fail(
        findings,
        at,
        `must be a list of at most ${MAX_VALUES} texts of at most ${MAX_VALUE_CHARS} characters`,
      );
    else read.set(name, values);
  }
  return read;
}

/** A list of values for completion. */
export function isValues(values: unknown): values is readonly string[] {
  return (
    Array.isArray(values) &&
    values.length <= MAX_VALUES &&
    values.every((value) => typeof value === 'string' && value.length <= MAX_VALUE_CHARS)
  );
}

export function variablesOf(address: Resource['address'] | undefined): UriTemplate['variables'] {
  return address?.kind === 'template' ? address.template.variables : [];
}

function refused(findings: Findings, at: string, message: string): undefined {
  fail(findings, at, message);
  return undefined;
}

function placed({ path, message }: Problem, json: Extract<JsonText, { ok: true }>): LoadProblem {
  const position = json.positionOf(pathKeys(json.value, path));
  return {
    file: RESOURCE_FILE,
    ...(position ?? {}),
    message: path === '' ? message : `${path}: ${message}`,
  };
}
