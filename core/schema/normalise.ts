import { measureJson } from './caps.ts';
import { DEFAULT_DIALECT, DIALECT_NAMES, type Dialect, readDialect } from './dialect.ts';
import { fail, kindOf, show, warn } from './findings.ts';
import { isRecord, pointerTo } from './pointer.ts';
import type { Findings, Problem } from './problem.ts';
import { propertiesFromList, propertiesFromTwoLists } from './property-lists.ts';
import { checkReferences } from './references.ts';
import { type Schema, walkSchema } from './walk.ts';

export type NormalisedSchema =
  | {
      readonly ok: true;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly dialect: Dialect;
      readonly warnings: readonly Problem[];
      /** Values in it: a measure of its size. */
      readonly nodes: number;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface NormaliseOptions {
  /** `object`: a tool's parameters, whose root is always an object. `any`: what a tool returns. */
  readonly root: 'object' | 'any';
  /** JSON Pointer that paths start with. @defaultValue '' */
  readonly at?: string;
}

/**
 * Reads an untrusted JSON Schema: bounds it, refuses what can't be checked safely, and puts right what is written in
 * the manner of another language or tool, each with a warning. Reading the result again changes nothing.
 */
export function normaliseSchema(raw: unknown, options: NormaliseOptions): NormalisedSchema {
  const { at = '', root } = options;
  const measured = measureJson(raw, at);
  if (!measured.ok) return { ok: false, problems: [measured.problem] };
  const findings: Findings = { problems: [], warnings: [] };
  const shaped = shapeRoot(raw, at, root, findings);
  const dialect = dialectOf(shaped, at, findings);
  if (shaped === undefined || dialect === undefined) return { ok: false, problems: findings.problems };
  const { $schema, ...rest } = shaped;
  const walked = walkSchema(rest, at, { ...findings, dialect, patternsWeight: 0 });
  const schema = typeof walked === 'boolean' ? {} : walked;
  if (root === 'object') forceObject(schema, at, findings);
  if (findings.problems.length === 0) checkReferences(schema, at, findings);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const named = typeof $schema === 'string' && $schema !== '' ? { $schema, ...schema } : schema;
  return { ok: true, schema: named, dialect, warnings: findings.warnings, nodes: measured.nodes };
}

function shapeRoot(raw: unknown, at: string, root: 'object' | 'any', findings: Findings): Schema | undefined {
  if (root === 'object') {
    if (raw === undefined || raw === null) {
      warn(findings, at, `${raw === null ? 'is null' : 'is absent'}; the tool takes no arguments`);
      return { type: 'object', properties: {} };
    }
    if (Array.isArray(raw)) {
      const listed = propertiesFromList(raw);
      if (listed) warn(findings, at, 'is a list; read as an object by the names in it');
      else fail(findings, at, 'is a list whose entries have no names, or one name twice');
      return listed;
    }
    if (isRecord(raw) && ('required_parameters' in raw || 'optional_parameters' in raw)) {
      const listed = propertiesFromTwoLists(raw);
      if (listed) warn(findings, at, 'has required_parameters and optional_parameters; read as an object');
      else
        fail(
          findings,
          at,
          'has required_parameters or optional_parameters that are no lists of named entries',
        );
      return listed;
    }
  }
  if (raw === true) return {};
  if (!isRecord(raw)) {
    fail(findings, at, `must be a JSON Schema (an object), not ${raw === false ? 'false' : kindOf(raw)}`);
    return undefined;
  }
  return raw;
}

function dialectOf(schema: Schema | undefined, at: string, findings: Findings): Dialect | undefined {
  const named = schema?.$schema;
  if (named === undefined) return DEFAULT_DIALECT;
  if (named === null || named === '') {
    warn(findings, pointerTo(at, '$schema'), 'is empty; ignored');
    return DEFAULT_DIALECT;
  }
  const dialect = typeof named === 'string' ? readDialect(named) : undefined;
  if (dialect === undefined) {
    const message = `names an unknown dialect of JSON Schema (${show(named)}); known are ${DIALECT_NAMES}`;
    fail(findings, pointerTo(at, '$schema'), message);
  }
  return dialect;
}

/** Arguments are always an object. */
function forceObject(schema: Schema, at: string, findings: Findings): void {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  if (values && !values.some(isRecord)) {
    fail(findings, at, 'allows no object, which arguments always are');
    return;
  }
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length === 1 && types[0] === 'object') return;
  if (types.length > 0 && !types.includes('object')) {
    fail(
      findings,
      pointerTo(at, 'type'),
      `must be "object", for arguments always are one; it is ${show(schema.type)}`,
    );
    return;
  }
  const message = types.length > 0 ? 'allows more than an object' : 'is absent';
  warn(findings, pointerTo(at, 'type'), `${message}; read as "object", which arguments always are`);
  schema.type = 'object';
}
