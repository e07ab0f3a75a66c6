import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../plugin/manifest.ts';
import { type ExactJson, type ExactObject, findInfinity, parseExact } from './exact-json.ts';
import { findPrototypeKey } from './parse-arguments.ts';
import { isExactNumber, scanJson } from './scan-json.ts';
import {
  acceptedTypes,
  accepts,
  alternatives,
  conjuncts,
  itemSchemas,
  type JsonType,
  propertySchemas,
  type SchemaView,
} from './schema-view.ts';

export type RepairKind =
  | 'empty_arguments'
  | 'double_encoded'
  | 'parsed_json_string'
  | 'numeral_to_number'
  | 'text_to_boolean'
  | 'dropped_null';

export type Path = readonly (string | number)[];

export interface FoundRepair {
  readonly path: Path;
  readonly kind: RepairKind;
}

export interface Repaired {
  readonly value: ExactJson;
  readonly repairs: readonly FoundRepair[];
}

const MAX_REPAIR_DEPTH = 64;
/** Alternatives within alternatives multiply; past this many looks the value is left as it is. */
const MAX_STEPS = 200_000;

interface RepairView extends SchemaView {
  readonly budget: { steps: number };
}

/**
 * Changes only what can have one reading: a value whose type the schema rules out at its place, where exactly one
 * reading of it is of an accepted type. Everything else is left for the validator to refuse.
 */
export function repairArguments(schema: JsonSchema, value: ExactJson): Repaired {
  return repairValue({ root: schema, schema, budget: { steps: MAX_STEPS } }, value, [], 0);
}

function repairValue(view: RepairView, value: ExactJson, path: Path, depth: number): Repaired {
  view.budget.steps -= 1;
  if (depth > MAX_REPAIR_DEPTH || view.budget.steps < 0) return untouched(value);
  const accepted = acceptedTypes(view);
  if (accepts(accepted, value)) return repairInside(view, value, path, depth);
  const reading = typeof value === 'string' ? readText(value, accepted) : undefined;
  if (reading === undefined) return untouched(value);
  const inside = repairInside(view, reading.value, path, depth);
  return { value: inside.value, repairs: [{ path, kind: reading.kind }, ...inside.repairs] };
}

function readText(
  text: string,
  accepted: ReadonlySet<JsonType>,
): { value: ExactJson; kind: RepairKind } | undefined {
  const first = text.trimStart()[0];
  if ((first === '{' && accepted.has('object')) || (first === '[' && accepted.has('array'))) {
    const scan = scanJson(text);
    if (
      scan.kind !== 'complete' ||
      scan.facts.duplicateKey !== undefined ||
      scan.facts.depth > MAX_REPAIR_DEPTH
    )
      return undefined;
    const value = parseExact(text, scan.facts.hasInexactNumber);
    // Held to what arguments themselves are held to; otherwise it stays a text, and is refused as one.
    const isUnfit = findInfinity(value) !== undefined || findPrototypeKey(value, []) !== undefined;
    return isUnfit ? undefined : { value, kind: 'parsed_json_string' };
  }
  if (accepted.has('boolean') && (text === 'true' || text === 'false')) {
    return { value: text === 'true', kind: 'text_to_boolean' };
  }
  const number = readNumeral(text);
  if (number === undefined || !accepts(accepted, number)) return undefined;
  return { value: number, kind: 'numeral_to_number' };
}

/** The number that is written back as the very same text; so `1e999`, `0x10`, `12 `, `1.50` and `00123` are none. */
function readNumeral(text: string): number | bigint | undefined {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && String(value) === text) return value;
  if (/^-?[1-9]\d{0,99}$/.test(text)) return isExactNumber(text) ? value : BigInt(text);
  return undefined;
}

function repairInside(view: RepairView, value: ExactJson, path: Path, depth: number): Repaired {
  if (typeof value !== 'object' || value === null) return untouched(value);
  let current = untouched(value);
  const schemas = conjuncts(view);
  const required = new Set<unknown>(
    schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : [])),
  );
  for (const schema of schemas) {
    const place: Place = { root: view.root, budget: view.budget, schema, required, path, depth };
    current = then(current, (member) => repairMembers(place, member));
    for (const branches of alternatives(schema)) {
      current = then(current, (member) => repairByBranch(view, branches, member, path, depth));
    }
  }
  return current;
}

function then(done: Repaired, next: (value: ExactJson) => Repaired): Repaired {
  const more = next(done.value);
  return more.repairs.length === 0
    ? done
    : { value: more.value, repairs: [...done.repairs, ...more.repairs] };
}

/** One schema that applies to a value at one path, and the keys that any of its neighbours requires. */
interface Place extends RepairView {
  readonly schema: JsonSchema;
  readonly required: ReadonlySet<unknown>;
  readonly path: Path;
  readonly depth: number;
}

function repairMembers(place: Place, value: ExactJson): Repaired {
  if (Array.isArray(value)) return repairItems(place, value);
  if (isObject(value)) return repairProperties(place, value);
  return untouched(value);
}

function repairItems({ root, budget, schema, path, depth }: Place, items: readonly ExactJson[]): Repaired {
  const repairs: FoundRepair[] = [];
  const value = items.map((item, index) => {
    let current = item;
    for (const part of itemSchemas(schema, index)) {
      const repaired = repairValue({ root, budget, schema: part }, current, [...path, index], depth + 1);
      repairs.push(...repaired.repairs);
      current = repaired.value;
    }
    return current;
  });
  return { value, repairs };
}

function repairProperties(place: Place, object: ExactObject): Repaired {
  const repairs: FoundRepair[] = [];
  const members: [string, ExactJson][] = [];
  for (const [key, member] of Object.entries(object)) {
    const path = [...place.path, key];
    const views = propertySchemas(place.schema, key).map((schema) => ({ ...place, schema }));
    if (member === null && views.some((view) => isAbsentNull(view, place.required.has(key)))) {
      repairs.push({ path, kind: 'dropped_null' });
      continue;
    }
    let current = member;
    for (const view of views) {
      const repaired = repairValue(view, current, path, place.depth + 1);
      repairs.push(...repaired.repairs);
      current = repaired.value;
    }
    members.push([key, current]);
  }
  return { value: Object.fromEntries(members), repairs };
}

/** Null for a property that may be left out, or has a default, and can't be null: it was meant as "not given". */
function isAbsentNull(view: SchemaView, required: boolean): boolean {
  if (acceptedTypes(view).has('null')) return false;
  return !required || conjuncts(view).some((part) => Object.hasOwn(part, 'default'));
}

/**
 * Inside `anyOf` and `oneOf` a repair counts only when every branch that could be meant agrees on it: a branch that
 * takes the value as it is wins, and branches that would read it in different ways leave it alone.
 */
function repairByBranch(
  { root, budget }: RepairView,
  branches: readonly unknown[],
  value: ExactJson,
  path: Path,
  depth: number,
): Repaired {
  // Looking at a branch costs as much as the value has keys.
  budget.steps -= branches.length * (isObject(value) ? Object.keys(value).length : 1);
  if (budget.steps < 0) return untouched(value);
  const candidates = branches
    .filter((branch) => couldBeMeant({ root, schema: branch }, value))
    .map((branch) => repairValue({ root, budget, schema: branch }, value, path, depth + 1));
  const [first] = candidates;
  if (first === undefined || candidates.some((candidate) => candidate.repairs.length === 0))
    return untouched(value);
  const agree = candidates.every((candidate) => isDeepStrictEqual(candidate.value, first.value));
  return agree ? first : untouched(value);
}

/** Type fits, required keys are there, and no `const` or `enum` of a property says otherwise. */
function couldBeMeant(view: SchemaView, value: ExactJson): boolean {
  if (!accepts(acceptedTypes(view), value)) return false;
  if (!isObject(value)) return true;
  return conjuncts(view).every((schema) => {
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    if (required.some((key) => typeof key === 'string' && !Object.hasOwn(value, key))) return false;
    return Object.entries(value).every(([key, member]) =>
      propertySchemas(schema, key).every((part) => fitsConstants({ root: view.root, schema: part }, member)),
    );
  });
}

function fitsConstants(view: SchemaView, value: ExactJson): boolean {
  return conjuncts(view).every((schema) => {
    if (Object.hasOwn(schema, 'const')) return isDeepStrictEqual(schema.const, value);
    // Only texts tell branches apart: "2" may still be read as the 2 of a list of numbers.
    if (!Array.isArray(schema.enum) || schema.enum.some((member) => typeof member !== 'string')) return true;
    return schema.enum.includes(value);
  });
}

function untouched(value: ExactJson): Repaired {
  return { value, repairs: [] };
}

function isObject(value: ExactJson): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
