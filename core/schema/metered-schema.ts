import { KEYWORD_KINDS } from './keywords.ts';
import { isRecord } from './pointer.ts';

/** A keyword of ours: counts each time that its subschema is held against a value. */
export const STEP = 'glovebox:step';

const SCHEMA_MAPS = new Set(['properties', 'dependencies']);

/** A copy in which every subschema that checks anything carries its weight. */
export function meterSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) copy[keyword] = meterKeyword(keyword, value);
  const weight = weigh(schema);
  // An empty schema is passed over by ajv without a look at the value.
  return weight === 0 ? copy : { [STEP]: weight, ...copy };
}

function meterKeyword(keyword: string, value: unknown): unknown {
  const kind = KEYWORD_KINDS.get(keyword);
  if (kind === 'schema') return meterSchema(value);
  if (kind === 'schema list' || (keyword === 'items' && Array.isArray(value))) {
    return Array.isArray(value) ? value.map(meterSchema) : value;
  }
  if (keyword === 'items') return meterSchema(value);
  if ((kind === 'schema map' || SCHEMA_MAPS.has(keyword)) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, meterSchema(child)]));
  }
  return value;
}

const ANNOTATIONS = new Set(
  'title description $comment default examples example deprecated readOnly writeOnly $id $schema $anchor $dynamicAnchor $defs definitions contentMediaType contentEncoding'.split(
    ' ',
  ),
);

function weigh(schema: Readonly<Record<string, unknown>>): number {
  let weight = 0;
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ANNOTATIONS.has(keyword)) weight += 1;
    if (keyword === 'enum' || keyword === 'const') weight += JSON.stringify(value).length >> 5;
    if (keyword === 'required' && Array.isArray(value)) weight += value.length;
    // A branch of another type is left at once, without a step of its own.
    if (KEYWORD_KINDS.get(keyword) === 'schema list' && Array.isArray(value)) weight += value.length >> 1;
    if (keyword === 'properties' && isRecord(value)) weight += Object.keys(value).length >> 3;
  }
  return weight;
}
