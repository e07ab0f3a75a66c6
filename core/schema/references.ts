import { closest } from 'fastest-levenshtein';
import { fail } from './findings.ts';
import { isRecord, pointerTo, resolvePointer } from './pointer.ts';
import type { Findings } from './problem.ts';

type Schema = Readonly<Record<string, unknown>>;

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
/** A base for `$id` and `$ref` that are relative; the name can't exist. */
const BASE = 'https://schema.invalid/';
const MAX_COMPARED = 200;
const MAX_PROBLEMS = 50;
/** Keywords whose value is data, in which `$ref` means nothing. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'example']);

interface Place {
  readonly schema: Schema;
  readonly at: string;
  readonly base: string;
}

/**
 * Every reference has to end within this schema: nothing is fetched, and one that leads nowhere is told of when the
 * schema is read, not at the first call. Also refused: references that lead in a circle without entering the value.
 */
export function checkReferences(root: Schema, at: string, findings: Findings): void {
  const places = collect(root, at);
  const resources = new Map<string, Schema>();
  for (const { schema, base } of places) {
    if (typeof schema.$id === 'string' && !schema.$id.startsWith('#')) resources.set(base, schema);
    for (const anchor of anchorsOf(schema)) resources.set(`${base}#${anchor}`, schema);
  }
  resources.set(BASE, root);
  const targets = new Map<Schema, unknown>();
  for (const place of places) {
    for (const keyword of REFERENCES) {
      const reference = place.schema[keyword];
      if (typeof reference !== 'string') continue;
      const target = resolve(reference, place.base, resources);
      if (target === undefined && findings.problems.length >= MAX_PROBLEMS) return;
      if (target === undefined) {
        fail(findings, pointerTo(place.at, keyword), explain(reference, place.base, root));
      } else if (keyword === '$ref') targets.set(place.schema, target);
    }
  }
  checkCircles(places, targets, findings);
}

function collect(root: Schema, at: string): Place[] {
  const places: Place[] = [];
  const pending: { value: unknown; at: string; base: string }[] = [{ value: root, at, base: BASE }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value } = next;
    if (typeof value !== 'object' || value === null) continue;
    let { base } = next;
    if (isRecord(value)) {
      base = baseOf(value, base);
      places.push({ schema: value, at: next.at, base });
    }
    for (const [key, child] of Object.entries(value)) {
      if (!DATA.has(key)) pending.push({ value: child, at: pointerTo(next.at, key), base });
    }
  }
  return places;
}

function baseOf(schema: Schema, base: string): string {
  const { $id } = schema;
  return typeof $id === 'string' && !$id.startsWith('#')
    ? (resolveUri($id, base)?.split('#')[0] ?? base)
    : base;
}

function anchorsOf({ $anchor, $dynamicAnchor, $id }: Schema): readonly string[] {
  // draft-07 writes an anchor as `$id: "#name"`.
  const old = typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined;
  return [$anchor, $dynamicAnchor, old].filter((name) => typeof name === 'string');
}

function resolve(reference: string, base: string, resources: ReadonlyMap<string, Schema>): unknown {
  const uri = resolveUri(reference, base);
  if (uri === undefined) return undefined;
  const [document = '', fragment = ''] = uri.split('#');
  const resource = resources.get(document);
  if (fragment === '') return resource;
  if (!fragment.startsWith('/')) return resources.get(`${document}#${fragment}`);
  const target = resource && resolvePointer(resource, decode(fragment));
  return isRecord(target) || typeof target === 'boolean' ? target : undefined;
}

function resolveUri(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function explain(reference: string, base: string, root: Schema): string {
  const shown = `"${reference.slice(0, 120)}"`;
  const uri = resolveUri(reference, base);
  if (uri === undefined) return `${shown} is not a reference`;
  const remote = !uri.startsWith(`${base}#`) && uri !== base;
  if (remote) return `${shown} is outside of this schema; nothing is fetched: copy what it names into $defs`;
  const known = ['$defs', 'definitions'].flatMap((key) =>
    isRecord(root[key])
      ? Object.keys(root[key]).map((name) => `#${pointerTo(pointerTo('', key), name)}`)
      : [],
  );
  const near = known.length > 0 ? closest(reference, known.slice(0, MAX_COMPARED)) : undefined;
  return `${shown} leads nowhere; references start at this JSON Schema itself${near ? `. Did you mean "${near}"?` : ''}`;
}

/** `a: {$ref: b}, b: {$ref: a}`, also through allOf, anyOf and oneOf: checking it would never end. */
function checkCircles(
  places: readonly Place[],
  targets: ReadonlyMap<Schema, unknown>,
  findings: Findings,
): void {
  const done = new Set<Schema>();
  for (const place of places) {
    if (done.has(place.schema) || !targets.has(place.schema)) continue;
    if (isCircular(place.schema, targets, done)) {
      fail(
        findings,
        pointerTo(place.at, '$ref'),
        'leads back to itself without entering the value: checking it would never end',
      );
      return;
    }
  }
}

function isCircular(start: Schema, targets: ReadonlyMap<Schema, unknown>, done: Set<Schema>): boolean {
  const onPath = new Set<Schema>();
  const pending: { schema: Schema; leave: boolean }[] = [{ schema: start, leave: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { schema, leave } = next;
    if (leave) {
      onPath.delete(schema);
      done.add(schema);
      continue;
    }
    if (onPath.has(schema)) return true;
    if (done.has(schema)) continue;
    onPath.add(schema);
    pending.push({ schema, leave: true });
    for (const inner of sameInstance(schema, targets)) pending.push({ schema: inner, leave: false });
  }
  return false;
}

/** The schemas that are held against the very same value. */
function sameInstance(schema: Schema, targets: ReadonlyMap<Schema, unknown>): readonly Schema[] {
  const { allOf, anyOf, oneOf, not, if: condition, then: met, else: unmet, dependentSchemas } = schema;
  const dependent = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [targets.get(schema), allOf, anyOf, oneOf, not, condition, met, unmet, dependent]
    .flat()
    .filter(isRecord);
}
