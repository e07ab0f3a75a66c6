import { isLegalName } from './names.ts';
import { isObject, listOf, mapOf, typeOfValue } from './schema-node.ts';
import { patternFits } from './schema-text.ts';
import { type SchemaRules, type StrictRules, TARGET_RULES, type Target } from './targets.ts';

/** One thing that a target refuses, and where. */
export interface SchemaProblem {
  /** JSON Pointer into the schema; empty for its root. */
  readonly path: string;
  readonly message: string;
}

interface Rules {
  readonly schema: SchemaRules;
  readonly strict: StrictRules | undefined;
  readonly propertyName: (typeof TARGET_RULES)[Target]['propertyName'];
  readonly problems: SchemaProblem[];
  readonly document: unknown;
}

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const MAX_PROBLEMS = 100;

/**
 * Holds a schema against a target's rules as it stands: which parts would make the API refuse the request?
 * Knows nothing of how exports are made, and so is the check on them.
 */
export function checkSchema(
  schema: unknown,
  target: Target,
  options: { readonly strict?: boolean } = {},
): SchemaProblem[] {
  if (target === 'gemini') return checkGeminiDialect(schema);
  const table = TARGET_RULES[target];
  const strict = options.strict === true ? table.strict : undefined;
  const rules: Rules = {
    schema: strict?.schema ?? table.schema,
    strict,
    propertyName: table.propertyName,
    problems: [],
    document: schema,
  };
  if (!isObject(schema) || schema.type !== 'object') {
    return [{ path: '', message: 'the root must be {"type": "object"}' }];
  }
  for (const keyword of Object.keys(schema)) {
    if (rules.schema.rootRefused.has(keyword)) report(rules, '', `${keyword} is refused at the root`);
  }
  if (target !== 'mcp' && schema.properties === undefined)
    report(rules, '', 'an object at the root needs properties');
  checkNode(schema, '', rules);
  return rules.problems;
}

function report(rules: Rules, path: string, message: string): void {
  if (rules.problems.length < MAX_PROBLEMS) rules.problems.push({ path, message });
}

function checkNode(node: unknown, path: string, rules: Rules): void {
  if (typeof node === 'boolean') {
    if (rules.strict !== undefined) report(rules, path, 'a boolean is no schema here');
    return;
  }
  if (!isObject(node)) return report(rules, path, 'is no schema');
  for (const [keyword, value] of Object.entries(node)) checkKeyword(keyword, value, path, rules);
  checkType(node, path, rules);
  checkReference(node, path, rules);
  checkObject(node, path, rules);
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (types.includes('array') && node.items === undefined) report(rules, path, 'an array needs items');
  if (Array.isArray(node.items)) report(rules, path, 'items must be one schema; a tuple is prefixItems');
  if (rules.strict !== undefined) checkStrictNode(node, path, rules);
  for (const [inner, child] of children(node)) checkNode(child, `${path}/${inner}`, rules);
}

function checkKeyword(keyword: string, value: unknown, path: string, rules: Rules): void {
  const { keywords, formats, patterns, largestMinItems } = rules.schema;
  if (keywords !== undefined && !keywords.has(keyword)) report(rules, path, `${keyword} is not supported`);
  if (keyword === 'format' && formats !== undefined && !formats.has(String(value))) {
    report(rules, path, `the format ${value} is not supported`);
  }
  if (keyword === 'pattern' && !patternFits(String(value), patterns)) {
    report(rules, path, `the pattern ${value} is not supported`);
  }
  if (keyword === 'minItems' && largestMinItems !== undefined && Number(value) > largestMinItems) {
    report(rules, path, `minItems above ${largestMinItems} is not supported`);
  }
  if (keyword === 'required' && !(Array.isArray(value) && value.every((name) => typeof name === 'string'))) {
    report(rules, path, 'required must be a list of names');
  }
  if ((keyword === 'exclusiveMinimum' || keyword === 'exclusiveMaximum') && typeof value === 'boolean') {
    report(rules, path, `${keyword} must be a number`);
  }
  if (keyword === 'enum' && !(Array.isArray(value) && value.length > 0))
    report(rules, path, 'enum must be a list');
}

function checkType(node: { readonly [key: string]: unknown }, path: string, rules: Rules): void {
  if (node.type === undefined) return;
  for (const type of Array.isArray(node.type) ? node.type : [node.type]) {
    if (!JSON_TYPES.includes(String(type)))
      report(rules, path, `${JSON.stringify(type)} is no JSON Schema type`);
  }
}

function checkReference(node: { readonly [key: string]: unknown }, path: string, rules: Rules): void {
  if (typeof node.$ref !== 'string') return;
  if (!node.$ref.startsWith('#')) report(rules, path, 'a reference must stay inside the schema');
  else if (!resolves(rules.document, node.$ref)) report(rules, path, `${node.$ref} leads nowhere`);
  const siblings = Object.keys(node).filter((keyword) => keyword !== '$ref');
  if (rules.schema.refs === 'bare' && siblings.length > 0) {
    report(rules, path, `$ref can't have ${siblings.join(', ')} beside it`);
  }
}

function resolves(document: unknown, reference: string): boolean {
  let node = document;
  for (const token of reference.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return false;
    node = (node as Record<string, unknown>)[key]; // cast: own property checked
  }
  return true;
}

function checkObject(node: { readonly [key: string]: unknown }, path: string, rules: Rules): void {
  if (rules.propertyName === undefined) return;
  for (const name of Object.keys(mapOf(node.properties))) {
    if (!isLegalName(name, rules.propertyName))
      report(rules, `${path}/properties/${name}`, 'this property name is refused');
  }
}

function checkStrictNode(node: { readonly [key: string]: unknown }, path: string, rules: Rules): void {
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (types.includes('object')) {
    if (node.additionalProperties !== false) report(rules, path, 'additionalProperties must be false');
    const names = Object.keys(mapOf(node.properties));
    const missing = names.filter((name) => !listOf(node.required).includes(name));
    if (rules.strict?.allRequired && missing.length > 0)
      report(rules, path, `required must list ${missing.join(', ')}`);
    const unknown = listOf(node.required).filter((name) => !names.includes(String(name)));
    if (unknown.length > 0) report(rules, path, `required lists unknown names: ${unknown.join(', ')}`);
  }
  for (const keyword of ['patternProperties', 'prefixItems']) {
    if (keyword in node) report(rules, path, `${keyword} is not supported`);
  }
  if (node.type === undefined && !node.anyOf && !node.$ref && !node.enum && !('const' in node)) {
    report(rules, path, 'a schema needs a type');
  }
  const values = [...listOf(node.enum), node.const];
  if (values.some((value) => typeof value === 'object' && value !== null))
    report(rules, path, 'enum values must be plain');
}

function* children(node: { readonly [key: string]: unknown }): Generator<readonly [string, unknown]> {
  for (const keyword of ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']) {
    for (const [key, child] of Object.entries(mapOf(node[keyword]))) yield [`${keyword}/${key}`, child];
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    for (const [index, child] of listOf(node[keyword]).entries()) yield [`${keyword}/${index}`, child];
  }
  for (const keyword of [
    'items',
    'not',
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
    'additionalProperties',
  ]) {
    const child = node[keyword];
    if (isObject(child)) yield [keyword, child];
    else if (keyword in node && typeof child !== 'boolean' && !Array.isArray(child)) yield [keyword, child];
  }
}

const GEMINI_TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'OBJECT', 'ARRAY'];
const GEMINI_FIELDS = new Set(
  (
    'type nullable title description format enum properties required items anyOf pattern minimum maximum minItems maxItems ' +
    'minLength maxLength minProperties maxProperties'
  ).split(' '),
);
const GEMINI_FORMATS: Readonly<Record<string, readonly string[]>> = {
  STRING: ['date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
};

/** Gemini's `Schema` message: refuses unknown fields, wants one type a node, string enums, and `anyOf` alone. */
function checkGeminiDialect(schema: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const visit = (node: unknown, path: string): void => {
    const add = (message: string): void =>
      void (problems.length < MAX_PROBLEMS && problems.push({ path, message }));
    if (!isObject(node)) return add('is no schema');
    for (const field of Object.keys(node)) if (!GEMINI_FIELDS.has(field)) add(`${field} is not supported`);
    if (node.anyOf !== undefined) {
      if (Object.keys(node).length > 1) add('anyOf must stand alone');
      for (const [index, branch] of listOf(node.anyOf).entries()) visit(branch, `${path}/anyOf/${index}`);
      return;
    }
    const type = String(node.type).toUpperCase();
    if (!GEMINI_TYPES.includes(type)) add('a schema needs one type');
    if (typeof node.format === 'string' && !GEMINI_FORMATS[type]?.includes(node.format))
      add(`the format ${node.format} is not supported`);
    if (typeof node.pattern === 'string' && !patternFits(node.pattern, 'regular'))
      add(`the pattern ${node.pattern} is not supported`);
    if (node.enum !== undefined) {
      const plain = listOf(node.enum).every((value) => typeOfValue(value) === 'string' && value !== '');
      if (type !== 'STRING' || !plain) add('enum is for non-empty strings only');
    }
    if (type === 'ARRAY') {
      if (node.items === undefined) add('an array needs items');
      else visit(node.items, `${path}/items`);
    }
    const names = Object.keys(mapOf(node.properties));
    if (path === '' && type !== 'OBJECT') add('the root must be an object');
    if (path === '' && names.length === 0)
      add('an object at the root needs properties; leave the parameters out');
    const unknown = listOf(node.required).filter((name) => !names.includes(String(name)));
    if (unknown.length > 0) add(`required lists unknown names: ${unknown.join(', ')}`);
    const rules = TARGET_RULES.gemini.propertyName;
    for (const [name, child] of Object.entries(mapOf(node.properties))) {
      if (rules !== undefined && !isLegalName(name, rules)) add(`the property name ${name} is refused`);
      visit(child, `${path}/properties/${name}`);
    }
  };
  visit(schema, '');
  return problems;
}
