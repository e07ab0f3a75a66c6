import type { JsonSchema } from '../plugin/manifest.ts';
import { fromEntries, isObject, listOf, type MutableSchema, mapOf } from './schema-node.ts';

const MAPS = new Set(['properties', 'patternProperties', 'definitions', 'dependentSchemas']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SINGLES = new Set([
  'items',
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]);

/** A 2020-12 schema in the words of draft-07. What draft-07 has no word for is left out: it only widens. */
export function toDraft07(node: JsonSchema): JsonSchema {
  const result: MutableSchema = {};
  for (const [keyword, value] of Object.entries(node)) {
    const name = keyword === '$defs' ? 'definitions' : keyword;
    if (keyword === '$ref') result.$ref = String(value).replace(/^#\/\$defs\//, '#/definitions/');
    else if (MAPS.has(name))
      result[name] = fromEntries(Object.entries(mapOf(value)).map(([key, child]) => [key, child07(child)]));
    else if (LISTS.has(keyword)) result[keyword] = listOf(value).map(child07);
    else if (SINGLES.has(keyword)) result[keyword] = child07(value);
    else if (!keyword.startsWith('unevaluated')) result[keyword] = value;
  }
  tuples(result);
  dependencies(result);
  return result;
}

function child07(node: unknown): unknown {
  return isObject(node) ? toDraft07(node) : node;
}

function tuples(schema: MutableSchema): void {
  if (schema.prefixItems === undefined) return;
  if (schema.items !== undefined) schema.additionalItems = schema.items;
  schema.items = schema.prefixItems;
  delete schema.prefixItems;
}

function dependencies(schema: MutableSchema): void {
  const both = { ...mapOf(schema.dependentRequired), ...mapOf(schema.dependentSchemas) };
  delete schema.dependentRequired;
  delete schema.dependentSchemas;
  if (Object.keys(both).length > 0) schema.dependencies = both;
}
