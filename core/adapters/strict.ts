import type { JsonSchema } from '../plugin/manifest.ts';
import { acceptsNull } from './schema-merge.ts';
import {
  canonical,
  fromEntries,
  isObject,
  listOf,
  type MutableSchema,
  mapOf,
  omit,
  requiredOf,
  typeOfValue,
  typesOf,
} from './schema-node.ts';
import { References } from './schema-refs.ts';
import type { StrictRules } from './targets.ts';

const LARGE_ENUM_VALUES = 250;

export interface StrictUse {
  /** Optional properties of the schema. */
  readonly optional: number;
  /** Properties whose schema is a union. */
  readonly unions: number;
}

export type StrictOutcome =
  | { readonly ok: true; readonly schema: JsonSchema; readonly use: StrictUse }
  /** Why this tool can't be strict, one sentence each. */
  | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Makes a converted schema strict: objects closed and, where the target asks for it, every property required,
 * with null in place of "left out". An object whose keys aren't known can't be closed: that tool stays plain.
 */
export function makeStrict(schema: JsonSchema, rules: StrictRules): StrictOutcome {
  const maker = new StrictMaker(schema, rules);
  const strict: MutableSchema = fromEntries(Object.entries(maker.node(schema, '', 0)));
  if (isObject(schema.$defs)) {
    const definitions = Object.entries(schema.$defs);
    strict.$defs = fromEntries(
      definitions.map(([name, node]) => [name, maker.node(node, `$defs/${name}`, 1)]),
    );
    for (const [name] of definitions) maker.countName(name);
  }
  if (!rules.recursion) maker.refuseRecursion(strict);
  maker.checkTotals();
  if (maker.reasons.length > 0) return { ok: false, reasons: [...new Set(maker.reasons)] };
  return { ok: true, schema: strict, use: maker.use };
}

class StrictMaker {
  readonly reasons: string[] = [];
  readonly use = { optional: 0, unions: 0 };
  readonly #rules: StrictRules;
  readonly #references: References;
  #properties = 0;
  #enumValues = 0;
  #nameChars = 0;

  constructor(root: JsonSchema, rules: StrictRules) {
    this.#rules = rules;
    this.#references = new References(root);
  }

  countName(name: string): void {
    this.#nameChars += name.length;
  }

  node(raw: unknown, path: string, depth: number): JsonSchema {
    const schema = canonical(raw);
    if (typeof schema.$ref === 'string') return schema;
    const { depth: deepest } = this.#rules.limits;
    if (deepest !== undefined && depth > deepest)
      this.#refuse(path, `is nested deeper than ${deepest} levels`);
    let result: MutableSchema = omit(schema, '$defs');
    this.#values(result, path);
    if (Array.isArray(result.anyOf)) {
      result.anyOf = result.anyOf.map((branch, index) => this.node(branch, `${path}/anyOf/${index}`, depth));
      return result;
    }
    const types = typesOf(result);
    if (types === undefined) {
      if (result.enum === undefined && result.const === undefined) this.#refuse(path, 'takes any value');
      return result;
    }
    if (types.includes('object')) result = this.#object(result, path, depth);
    if (types.includes('array')) this.#array(result, path, depth);
    return withoutForeignKeywords(result, types);
  }

  #object(schema: MutableSchema, path: string, depth: number): MutableSchema {
    const properties = mapOf(schema.properties);
    const names = Object.keys(properties);
    if (
      schema.additionalProperties === true ||
      isObject(schema.additionalProperties) ||
      schema.patternProperties
    ) {
      this.#refuse(path, 'takes keys that are not listed (additionalProperties or patternProperties)');
    } else if (names.length === 0 && path !== '' && schema.additionalProperties !== false) {
      this.#refuse(path, 'is an object without listed keys');
    }
    const required = new Set(requiredOf(schema));
    this.#properties += names.length;
    const entries = names.map((name) => {
      this.countName(name);
      const child = this.node(properties[name], `${path}/${name}`, depth + 1);
      if (child.anyOf !== undefined || Array.isArray(child.type)) this.use.unions += 1;
      if (required.has(name)) return [name, child] as const;
      this.use.optional += 1;
      return [name, this.#rules.allRequired ? this.#orNull(child) : child] as const;
    });
    return {
      ...omit(schema, 'patternProperties'),
      properties: fromEntries(entries),
      required: this.#rules.allRequired ? names : [...required],
      additionalProperties: false,
    };
  }

  #array(schema: MutableSchema, path: string, depth: number): void {
    if (schema.prefixItems !== undefined) this.#refuse(path, 'is a tuple (prefixItems)');
    schema.items = this.node(schema.items, `${path}/items`, depth + 1);
  }

  #values(schema: MutableSchema, path: string): void {
    const values = 'const' in schema ? [schema.const] : listOf(schema.enum);
    if (values.length === 0) return;
    if (schema.type === undefined && schema.anyOf === undefined) {
      const types = [...new Set(values.map(typeOfValue))];
      schema.type = types.length === 1 ? types[0] : types;
    }
    const chars = values.reduce<number>((sum, value) => sum + String(value).length, 0);
    this.#nameChars += chars;
    if (Array.isArray(schema.enum)) this.#enumValues += values.length;
    const { largeEnumChars } = this.#rules.limits;
    if (largeEnumChars !== undefined && values.length > LARGE_ENUM_VALUES && chars > largeEnumChars) {
      this.#refuse(path, `has an enum of more than ${largeEnumChars} characters`);
    }
  }

  #orNull(schema: JsonSchema): JsonSchema {
    if (acceptsNull(schema, this.#references)) return schema;
    if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
    if (schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
    const result: MutableSchema = fromEntries(Object.entries(schema));
    const types = typesOf(schema);
    if (types !== undefined) result.type = [...types, 'null'];
    if (Array.isArray(schema.enum)) result.enum = [...schema.enum, null];
    if ('const' in schema) {
      result.enum = [schema.const, null];
      delete result.const;
    }
    return result;
  }

  refuseRecursion(root: JsonSchema): void {
    const references = new References(root);
    const targets = Object.values(mapOf(root.$defs)).filter((node) => isObject(node));
    const recursive = [root, ...targets].find((target) => references.isRecursive(target));
    if (recursive !== undefined) this.#refuse('', 'refers to itself');
  }

  checkTotals(): void {
    const { properties, enumValues, nameChars } = this.#rules.limits;
    if (properties !== undefined && this.#properties > properties)
      this.#refuse('', `has more than ${properties} properties`);
    if (enumValues !== undefined && this.#enumValues > enumValues)
      this.#refuse('', `has more than ${enumValues} enum values`);
    if (nameChars !== undefined && this.#nameChars > nameChars) {
      this.#refuse('', `has more than ${nameChars} characters of names and values`);
    }
  }

  #refuse(path: string, problem: string): void {
    const place = path === '' ? 'the schema' : path.replace(/^\//, '').replaceAll('/', '.');
    this.reasons.push(`${place} ${problem}`);
  }
}

const OBJECT_KEYWORDS = ['properties', 'required', 'additionalProperties', 'patternProperties'];
const ARRAY_KEYWORDS = ['items', 'prefixItems', 'minItems', 'maxItems'];

/** A keyword of a type that the node hasn't says nothing, but would be refused all the same. */
function withoutForeignKeywords(schema: MutableSchema, types: readonly string[]): MutableSchema {
  return omit(
    schema,
    ...(types.includes('object') ? [] : OBJECT_KEYWORDS),
    ...(types.includes('array') ? [] : ARRAY_KEYWORDS),
  );
}
