import { DIALECT_NAMES, type Dialect, readDialect } from './dialect.ts';
import { drop, fail, kindOf, refuse, show, warn } from './findings.ts';
import { FORMATS } from './formats.ts';
import { KEYWORD_KINDS, UNKNOWN_TO } from './keywords.ts';
import { compilePattern } from './pattern.ts';
import { isRecord, pointerTo } from './pointer.ts';
import type { Findings } from './problem.ts';
import { isBooleanLike, isTrue, propertiesFromList } from './property-lists.ts';
import { readEnum, repairEnumType } from './quirks-enum.ts';
import { applyNullable, readType } from './quirks-type.ts';
import {
  checkRequiredNames,
  liftRequired,
  mergeNames,
  OPTIONAL,
  readNames,
  readRequired,
} from './required.ts';

export type Schema = Record<string, unknown>;

const ANCHOR = /^[A-Za-z_][\w.-]*$/;
/** What all patterns of a schema may weigh; the patterns of 966 real tools together weigh less. */
const MAX_PATTERNS_WEIGHT = 12_000;

export interface Walk extends Findings {
  readonly dialect: Dialect;
  /** Of the patterns so far. */
  patternsWeight: number;
}

/** Reads one subschema: a fresh copy in which every keyword has the shape that its dialect wants. */
export function walkSchema(raw: unknown, at: string, walk: Walk): Schema | boolean {
  if (typeof raw === 'boolean') return raw;
  if (typeof raw === 'string') return readShorthand(raw, at, walk);
  if (raw === null) {
    warn(walk, at, 'is null; read as a schema that accepts anything');
    return {};
  }
  if (!isRecord(raw)) {
    fail(walk, at, `must be a JSON Schema (an object or a boolean), not ${kindOf(raw)}`);
    return {};
  }
  const schema: Schema = {};
  for (const [keyword, value] of Object.entries(raw)) {
    const read = readKeyword(keyword, value, pointerTo(at, keyword), walk, raw);
    for (const [key, kept] of Object.entries(read)) {
      schema[key] = key === 'required' && Array.isArray(schema[key]) ? mergeNames(schema[key], kept) : kept;
    }
  }
  applyNullable(schema, at, walk);
  repairEnumType(schema, at, walk);
  checkRequiredNames(schema, at, walk);
  return schema;
}

/** `"city": "string"` or `"city": "Name of the city"` in place of a schema. */
function readShorthand(text: string, at: string, walk: Walk): Schema {
  const read = readType(text, at, walk, false);
  if (read) {
    warn(walk, at, `is the text "${text}" in place of a schema; read as {"type": "${text}"}`);
    return read;
  }
  warn(walk, at, 'is a text in place of a schema; read as its description');
  return { description: text };
}

/** What a keyword becomes: nothing, itself, or other keywords. */
function readKeyword(keyword: string, value: unknown, at: string, walk: Walk, raw: Schema): Schema {
  const special = SPECIAL[keyword];
  if (special) return special(value, at, walk, raw);
  const kind = KEYWORD_KINDS.get(keyword);
  if (kind === undefined) return { [keyword]: value };
  if (value === null) return drop(walk, at, 'is null; ignored');
  if (UNKNOWN_TO[walk.dialect]?.has(keyword)) {
    warn(walk, at, `has no meaning in ${walk.dialect}; ignored when arguments are checked`);
  }
  switch (kind) {
    case 'schema':
      return { [keyword]: walkSchema(value, at, walk) };
    case 'schema map':
      return readMap(keyword, value, at, walk);
    case 'schema list':
      return readList(keyword, value, at, walk);
    case 'count':
    case 'number':
      return readNumber(keyword, value, at, walk, kind, raw);
    case 'boolean':
      if (typeof value === 'boolean') return { [keyword]: value };
      if (!isBooleanLike(value)) return drop(walk, at, `is ${kindOf(value)}, not a boolean; ignored`);
      warn(walk, at, `is the text "${String(value)}"; read as a boolean`);
      return { [keyword]: isTrue(value) };
    case 'list':
      return Array.isArray(value) ? { [keyword]: value } : { [keyword]: [value] };
    case 'string':
      return readText(keyword, value, at, walk);
  }
}

type Reader = (value: unknown, at: string, walk: Walk, raw: Schema) => Schema;

const SPECIAL: Readonly<Record<string, Reader>> = Object.assign(Object.create(null), {
  type: (value, at, walk) => readType(value, at, walk) ?? {},
  enum: readEnum,
  properties: readProperties,
  required: readRequired,
  items: readItems,
  dependencies: readDependencies,
  dependentRequired: readDependentRequired,
  format: readFormat,
  $schema: (value, at, walk) => readNestedDialect(value, at, walk),
  nullable: (value) => ({ nullable: value }),
  // ajv has no `id`; draft-04 schemas and catalogues do.
  id: (_value, at, walk) => drop(walk, at, 'is not a keyword (`$id` is); ignored'),
  $async: (_value, at, walk) => drop(walk, at, 'is not JSON Schema; ignored'),
  $data: (_value, at, walk) => drop(walk, at, 'is not JSON Schema; ignored'),
  discriminator: (value) => ({ discriminator: value }),
  optional: (_value, at, walk) =>
    drop(walk, at, 'is not a keyword here (leave the name out of `required`); ignored'),
  $vocabulary: (_value, at, walk) => drop(walk, at, 'is for meta-schemas only; ignored'),
} satisfies Record<string, Reader>);

function readMap(keyword: string, value: unknown, at: string, walk: Walk): Schema {
  if (!isRecord(value)) {
    fail(walk, at, `must be an object that maps names to schemas, not ${kindOf(value)}`);
    return {};
  }
  const read: Schema = {};
  for (const [name, child] of Object.entries(value)) {
    const childAt = pointerTo(at, name);
    if (keyword === 'patternProperties') checkPattern(name, childAt, walk);
    read[name] = walkSchema(child, childAt, walk);
  }
  return { [keyword]: read };
}

function readList(keyword: string, value: unknown, at: string, walk: Walk): Schema {
  if (isRecord(value) && keyword !== 'prefixItems') {
    warn(walk, at, 'is one schema in place of a list; read as a list of one');
    return { [keyword]: [walkSchema(value, pointerTo(at, 0), walk)] };
  }
  if (!Array.isArray(value)) {
    fail(walk, at, `must be a list of schemas, not ${kindOf(value)}`);
    return {};
  }
  if (value.length === 0) return drop(walk, at, 'is an empty list; ignored');
  return { [keyword]: value.map((child, index) => walkSchema(child, pointerTo(at, index), walk)) };
}

function readProperties(value: unknown, at: string, walk: Walk): Schema {
  if (value === null) return drop(walk, at, 'is null; ignored');
  if (Array.isArray(value)) {
    const listed = propertiesFromList(value);
    if (!listed) return refuse(walk, at, 'must be an object that maps names to schemas, not an array');
    warn(walk, at, 'is a list; read as an object by the names in it');
    const { properties, required } = listed;
    return { ...readProperties(properties, at, walk), ...(required ? { required } : {}) };
  }
  if (!isRecord(value)) {
    return refuse(walk, at, `must be an object that maps names to schemas, not ${kindOf(value)}`);
  }
  const properties: Schema = {};
  const required: string[] = [];
  const optional: string[] = [];
  for (const [name, child] of Object.entries(value)) {
    const lifted = liftRequired(name, child, pointerTo(at, name), walk);
    if (lifted.required === true) required.push(name);
    if (lifted.required === false) optional.push(name);
    properties[name] = walkSchema(lifted.child, pointerTo(at, name), walk);
  }
  return {
    properties,
    ...(required.length > 0 && { required }),
    // Taken up, and taken out again, by checkRequiredNames.
    ...(optional.length > 0 && { [OPTIONAL]: optional }),
  };
}

function readItems(value: unknown, at: string, walk: Walk, raw: Schema): Schema {
  if (value === null) return drop(walk, at, 'is null; ignored');
  if (!Array.isArray(value)) return { items: walkSchema(value, at, walk) };
  if (value.length === 0) return drop(walk, at, 'is an empty list; ignored');
  const items = value.map((child, index) => walkSchema(child, pointerTo(at, index), walk));
  if (walk.dialect !== '2020-12') return { items };
  warn(walk, at, 'is a list, as in draft-07; read as `prefixItems`');
  const rest = raw.additionalItems;
  return {
    prefixItems: items,
    ...(rest !== undefined && rest !== null && { items: walkSchema(rest, at, walk) }),
  };
}

function readDependencies(value: unknown, at: string, walk: Walk): Schema {
  if (!isRecord(value)) return refuse(walk, at, `must be an object, not ${kindOf(value)}`);
  const schemas: Schema = {};
  const required: Schema = {};
  for (const [name, dependency] of Object.entries(value)) {
    const childAt = pointerTo(at, name);
    if (Array.isArray(dependency))
      Object.assign(required, { [name]: readNames('names', dependency, childAt, walk).names ?? [] });
    else schemas[name] = walkSchema(dependency, childAt, walk);
  }
  if (walk.dialect === 'draft-07') return { dependencies: { ...schemas, ...required } };
  warn(walk, at, 'is of draft-07; read as `dependentRequired` and `dependentSchemas`');
  return { dependentRequired: required, dependentSchemas: schemas };
}

function readDependentRequired(value: unknown, at: string, walk: Walk): Schema {
  if (!isRecord(value)) return refuse(walk, at, `must be an object, not ${kindOf(value)}`);
  const read: Schema = {};
  for (const [name, names] of Object.entries(value)) {
    read[name] = readNames('names', names, pointerTo(at, name), walk).names ?? [];
  }
  return { dependentRequired: read };
}

function readNumber(
  keyword: string,
  value: unknown,
  at: string,
  walk: Walk,
  kind: 'count' | 'number',
  raw: Schema,
): Schema {
  if (typeof value === 'boolean' && keyword.startsWith('exclusive')) {
    const inclusive = keyword === 'exclusiveMinimum' ? raw.minimum : raw.maximum;
    warn(walk, at, 'is a boolean, as in draft-04; read as the bound itself');
    return value && typeof inclusive === 'number' ? { [keyword]: inclusive } : {};
  }
  const isNumeral = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value.trim());
  if (isNumeral) warn(walk, at, `is the text "${value}"; read as a number`);
  const number = isNumeral ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return refuse(walk, at, `must be a number, not ${kindOf(value)}`);
  }
  if (kind === 'count' && (number < 0 || !Number.isInteger(number))) {
    return refuse(walk, at, `must be a whole number, 0 or more; it is ${number}`);
  }
  if (keyword === 'multipleOf' && number <= 0) return refuse(walk, at, `must be above 0; it is ${number}`);
  return { [keyword]: number };
}

function readText(keyword: string, value: unknown, at: string, walk: Walk): Schema {
  if (typeof value !== 'string') {
    const isText = ['title', 'description', '$comment'].includes(keyword);
    if (isText) return drop(walk, at, `is ${kindOf(value)}, not a text; ignored`);
    return refuse(walk, at, `must be a text, not ${kindOf(value)}`);
  }
  if (keyword === 'pattern' && !checkPattern(value, at, walk)) return {};
  if ((keyword === '$anchor' || keyword === '$dynamicAnchor') && !ANCHOR.test(value)) {
    return refuse(walk, at, `must be a name (letters, digits, - . _); it is ${show(value)}`);
  }
  if ((keyword === '$dynamicRef' || keyword === '$recursiveRef') && !value.startsWith('#')) {
    return refuse(walk, at, `must start with #; it is ${show(value)}`);
  }
  if (keyword === '$id' && value === '') return drop(walk, at, 'is empty; ignored');
  return { [keyword]: value };
}

function checkPattern(source: string, at: string, walk: Walk): boolean {
  if (walk.patternsWeight > MAX_PATTERNS_WEIGHT) return false;
  const compiled = compilePattern(source);
  if (!compiled.ok) {
    fail(walk, at, `the pattern ${compiled.reason}`);
    return false;
  }
  walk.patternsWeight += compiled.pattern.weight;
  if (walk.patternsWeight <= MAX_PATTERNS_WEIGHT) return true;
  fail(walk, at, 'the patterns of this schema repeat too much in all; use minLength and maxLength');
  return false;
}

function readFormat(value: unknown, at: string, walk: Walk): Schema {
  if (value === null || value === '') return drop(walk, at, 'is empty; ignored');
  if (typeof value !== 'string') return refuse(walk, at, `must be a text, not ${kindOf(value)}`);
  if (!FORMATS.has(value)) warn(walk, at, `the format "${value.slice(0, 60)}" is unknown; not checked`);
  return { format: value };
}

/** `$schema` below the root: a dialect can't change halfway, so another one is only told of. */
function readNestedDialect(value: unknown, at: string, walk: Walk): Schema {
  const dialect = typeof value === 'string' ? readDialect(value) : undefined;
  if (dialect === undefined) {
    return refuse(
      walk,
      at,
      `names an unknown dialect of JSON Schema (${show(value)}); known are ${DIALECT_NAMES}`,
    );
  }
  if (dialect !== walk.dialect) {
    return drop(walk, at, `is ${dialect} within a schema of ${walk.dialect}; ignored`);
  }
  return {};
}
