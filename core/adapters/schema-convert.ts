import type { JsonSchema } from '../plugin/manifest.ts';
import { legalNames } from './names.ts';
import { dereference, flattenUnions, isAnnotation, mergeAllOf, mergeSchemas } from './schema-merge.ts';
import {
  canonical,
  fromEntries,
  isObject,
  listOf,
  type MutableSchema,
  mapOf,
  omit,
  requiredOf,
  typesOf,
} from './schema-node.ts';
import { References } from './schema-refs.ts';
import { addText, keywordText, patternFits } from './schema-text.ts';
import type { SchemaRules } from './targets.ts';

/** Past this many nodes (inlined references multiply) the rest of a branch is told in words only. */
const MAX_NODES = 5_000;
/** How often a recursive schema is written out inside itself where there is no `$ref`. */
const MAX_UNROLLED = 2;
const DEFINITION_NAME = { character: /[a-zA-Z0-9_]/, first: /[a-zA-Z_]/, length: 64 };

export interface Conversion {
  readonly schema: JsonSchema;
  /** What was rewritten, for people. */
  readonly notes: readonly string[];
}

/**
 * Rewrites a schema to what `rules` allow. What the original accepts, the result accepts, but for this: a tuple
 * becomes a list of its items, a key that only one branch of a hoisted union names has that branch's schema in all of
 * them, and strict modes (see strict.ts) close objects afterwards.
 */
export function convertSchema(
  root: JsonSchema,
  rules: SchemaRules,
  keyNames: ReadonlyMap<string, string>,
): Conversion {
  const converter = new Converter(root, rules, keyNames);
  const schema = converter.convertRoot();
  return { schema, notes: converter.notes };
}

class Converter {
  readonly notes: string[] = [];
  readonly #references: References;
  readonly #rules: SchemaRules;
  readonly #keyNames: ReadonlyMap<string, string>;
  readonly #definitions = new Map<object, { readonly name: string; schema: JsonSchema }>();
  /** Targets of references that are being written out right now. */
  readonly #open: object[] = [];
  #nodes = 0;

  constructor(root: JsonSchema, rules: SchemaRules, keyNames: ReadonlyMap<string, string>) {
    this.#references = new References(root);
    this.#rules = rules;
    this.#keyNames = keyNames;
  }

  convertRoot(): JsonSchema {
    const root = dereference(this.#references.root, this.#references) ?? {};
    const object: MutableSchema = { ...omit(root, 'type'), type: 'object' };
    object.properties ??= {};
    const { schema, texts } = this.#hoistRoot(object);
    const converted: MutableSchema = fromEntries(Object.entries(this.#convert(schema, '', true)));
    const description = addText(converted.description, texts);
    if (description !== undefined) converted.description = description;
    if (this.#definitions.size > 0) converted.$defs = this.#namedDefinitions();
    return converted;
  }

  #hoistRoot(root: JsonSchema): { schema: JsonSchema; texts: readonly string[] } {
    const refused = this.#rules.rootRefused;
    const unions = ['anyOf', 'oneOf', 'allOf'].filter((keyword) => keyword in root);
    if (!unions.some((keyword) => refused.has(keyword) || !this.#allows(keyword)))
      return { schema: root, texts: [] };
    this.notes.push(`${unions.join(', ')} at the root: the properties of its branches were hoisted`);
    return flattenUnions(root, this.#references);
  }

  #namedDefinitions(): JsonSchema {
    return fromEntries([...this.#definitions.values()].map(({ name, schema }) => [name, schema]));
  }

  #allows(keyword: string): boolean {
    return this.#rules.keywords === undefined || this.#rules.keywords.has(keyword);
  }

  #convert(node: unknown, path: string, atRoot = false): JsonSchema {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) return this.#cut(canonical(node), path);
    const schema = canonical(node);
    if (typeof schema.$ref === 'string') return this.#convertReference(schema, schema.$ref, path);
    const { schema: simple, texts } = this.#simplify(schema);
    return this.#keywords(simple, texts, path, atRoot);
  }

  /** Writes away what the target can't nest: `allOf`, `oneOf`, unions beside properties, tuples. */
  #simplify(original: JsonSchema): { schema: JsonSchema; texts: string[] } {
    const texts: string[] = [];
    let schema = original;
    if (schema.allOf !== undefined && !this.#allows('allOf')) schema = mergeAllOf(schema, this.#references);
    const hasUnion = (schema.anyOf ?? schema.oneOf) !== undefined;
    const conditional = ['then', 'else', 'dependentSchemas'].some((keyword) => keyword in schema);
    const standsBeside = hasUnion && (schema.properties !== undefined || (schema.anyOf && schema.oneOf));
    if (this.#rules.unionsStandAlone && (standsBeside || (conditional && !this.#allows('then')))) {
      const flat = flattenUnions(schema, this.#references);
      texts.push(...flat.texts);
      schema = flat.schema;
    }
    if (schema.oneOf !== undefined && !this.#allows('oneOf')) {
      schema = { ...omit(schema, 'oneOf'), anyOf: schema.oneOf };
    }
    if (Array.isArray(schema.anyOf) && this.#rules.unionsStandAlone)
      schema = this.#distribute(schema, schema.anyOf);
    if (schema.prefixItems !== undefined && !this.#allows('prefixItems')) schema = untuple(schema);
    return { schema, texts };
  }

  #distribute(schema: JsonSchema, branches: readonly unknown[]): JsonSchema {
    const base = fromEntries(Object.entries(schema).filter(([key]) => key !== 'anyOf' && !isAnnotation(key)));
    if (Object.keys(base).length === 0) return schema;
    const notes = fromEntries(Object.entries(schema).filter(([key]) => isAnnotation(key)));
    const merged = branches.map((branch) => {
      const resolved = dereference(branch, this.#references);
      return resolved === undefined ? base : mergeSchemas(resolved, base);
    });
    return { ...notes, anyOf: merged };
  }

  #keywords(schema: JsonSchema, extra: readonly string[], path: string, atRoot: boolean): JsonSchema {
    const result: MutableSchema = {};
    const texts = [...extra];
    for (const [keyword, value] of Object.entries(withRequiredProperties(schema))) {
      if (this.#keeps(keyword, value, atRoot)) result[keyword] = this.#value(keyword, value, path);
      else texts.push(this.#inWords(keyword, value, path));
    }
    const description = addText(result.description, texts);
    if (description !== undefined) result.description = description;
    return completed(result);
  }

  #inWords(keyword: string, value: unknown, path: string): string {
    const text = keywordText(keyword, value);
    if (text !== '') this.notes.push(`${path === '' ? 'root' : path}: ${keyword} moved into the description`);
    return text;
  }

  #keeps(keyword: string, value: unknown, atRoot: boolean): boolean {
    if (keyword.startsWith('$') || keyword === 'definitions' || keyword === 'id') return false;
    if (atRoot && this.#rules.rootRefused.has(keyword)) return false;
    if (keyword === 'format')
      return this.#rules.formats === undefined || this.#rules.formats.has(String(value));
    if (keyword === 'pattern')
      return this.#allows(keyword) && patternFits(String(value), this.#rules.patterns);
    if (keyword === 'minItems') {
      return (
        this.#allows(keyword) && Number(value) <= (this.#rules.largestMinItems ?? Number.POSITIVE_INFINITY)
      );
    }
    if (keyword === 'patternProperties') {
      return (
        this.#allows(keyword) &&
        Object.keys(mapOf(value)).every((key) => patternFits(key, this.#rules.patterns))
      );
    }
    if (keyword === 'enum' && this.#rules.keywords !== undefined)
      return listOf(value).every((one) => !isStructured(one));
    if (keyword === 'const' && this.#rules.keywords !== undefined)
      return this.#allows(keyword) && !isStructured(value);
    return this.#allows(keyword);
  }

  #value(keyword: string, value: unknown, path: string): unknown {
    const inner = `${path}/${keyword}`;
    switch (keyword) {
      case 'properties':
        return this.#properties(mapOf(value), path);
      case 'required':
        return listOf(value).map((name) => this.#keyName(String(name)));
      case 'patternProperties':
        return this.#map(mapOf(value), (key) => key, inner);
      case 'dependentSchemas':
        return this.#map(mapOf(value), (key) => this.#keyName(key), inner);
      case 'dependentRequired':
        return fromEntries(
          Object.entries(mapOf(value)).map(([key, names]) => [
            this.#keyName(key),
            listOf(names).map((name) => this.#keyName(String(name))),
          ]),
        );
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        return listOf(value).map((branch, index) => this.#convert(branch, `${inner}/${index}`));
      case 'additionalProperties':
      case 'unevaluatedProperties':
      case 'unevaluatedItems':
        return typeof value === 'boolean' ? value : this.#convert(value, inner);
      case 'items':
      case 'propertyNames':
      case 'contains':
      case 'contentSchema':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        return value === false ? false : this.#convert(value, inner);
      case 'default':
        return this.#rename(value);
      case 'examples':
        return listOf(value).map((example) => this.#rename(example));
      default:
        return value;
    }
  }

  #properties(properties: JsonSchema, path: string): JsonSchema {
    return fromEntries(
      Object.entries(properties).map(([key, node]) => {
        const name = this.#keyName(key);
        const converted = this.#convert(node, `${path}/${key}`);
        if (name === key || typeof converted.$ref === 'string') return [name, converted] as const;
        // The model should know the real word behind a renamed key.
        return [
          name,
          { ...converted, description: addText(converted.description, [`Original key: ${key}`]) },
        ] as const;
      }),
    );
  }

  #map(map: JsonSchema, rename: (key: string) => string, path: string): JsonSchema {
    return fromEntries(
      Object.entries(map).map(([key, node]) => [rename(key), this.#convert(node, `${path}/${key}`)]),
    );
  }

  #keyName(key: string): string {
    return this.#keyNames.get(key) ?? key;
  }

  #rename(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rename(item));
    if (!isObject(value)) return value;
    return fromEntries(Object.entries(value).map(([key, item]) => [this.#keyName(key), this.#rename(item)]));
  }

  #convertReference(schema: JsonSchema, reference: string, path: string): JsonSchema {
    const siblings = omit(schema, '$ref', '$defs', 'definitions', '$schema', '$id', '$anchor', '$comment');
    const target = this.#references.resolve(reference);
    if (target === undefined) {
      this.notes.push(`${path}: the reference ${reference} leads nowhere and was taken as "anything"`);
      return this.#convert(siblings, path);
    }
    if (this.#rules.refs === 'none') return this.#inline(siblings, target, path);
    const bare = Object.keys(siblings).length === 0;
    if (!bare && this.#rules.refs === 'bare') {
      if (!this.#references.isRecursive(target)) return this.#inline(siblings, target, path);
      return { ...this.#convert(siblings, path), anyOf: [this.#define(reference, target, path)] };
    }
    const link = this.#define(reference, target, path);
    return bare ? link : { ...this.#convert(siblings, path), ...link };
  }

  #inline(siblings: JsonSchema, target: object, path: string): JsonSchema {
    const unrolled = this.#open.filter((open) => open === target).length;
    if (unrolled >= MAX_UNROLLED) return this.#cut(mergeSchemas(siblings, canonical(target)), path);
    this.#open.push(target);
    try {
      return this.#convert(mergeSchemas(siblings, canonical(target)), path);
    } finally {
      this.#open.pop();
    }
  }

  #define(reference: string, target: object, path: string): JsonSchema {
    if (target === this.#references.root) return { $ref: '#' };
    const known = this.#definitions.get(target);
    if (known !== undefined) return { $ref: `#/$defs/${known.name}` };
    const word =
      decodeURIComponentSafely(reference.split('/').at(-1) ?? '').replace(/^.*#/, '') || 'definition';
    const taken = [...this.#definitions.values()].map((definition) => definition.name);
    const [wanted] = [...legalNames([word], DEFINITION_NAME).values()];
    let name = wanted ?? 'definition';
    for (let count = 2; taken.includes(name); count += 1) name = `${wanted}_${count}`;
    const definition = { name, schema: {} as JsonSchema };
    this.#definitions.set(target, definition);
    definition.schema = this.#convert(target, path);
    return { $ref: `#/$defs/${name}` };
  }

  /** The end of what can be written out: the types stay, the shape is left to words. */
  #cut(schema: JsonSchema, path: string): JsonSchema {
    this.notes.push(`${path}: cut here, the schema goes deeper`);
    const types = typesOf(schema);
    const description = addText(schema.description, ['The same form goes on inside.']);
    const result: MutableSchema = { ...(types === undefined ? {} : { type: schema.type }), description };
    return completed(result);
  }
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Providers ask for `items` in arrays, and for every required name among the properties. */
function completed(schema: MutableSchema): JsonSchema {
  const types = typesOf(schema) ?? [];
  if (types.includes('array') && schema.items === undefined) schema.items = {};
  return schema;
}

function withRequiredProperties(schema: JsonSchema): JsonSchema {
  const known = mapOf(schema.properties);
  const missing = requiredOf(schema).filter((name) => !Object.hasOwn(known, name));
  if (missing.length === 0 || (schema.properties === undefined && schema.type === undefined)) return schema;
  const added = missing.map((name) => [name, {}] as const);
  return { ...schema, properties: fromEntries([...Object.entries(known), ...added]) };
}

/** A tuple as a list: each item may be any of the tuple's. */
function untuple(schema: JsonSchema): JsonSchema {
  const items = [...listOf(schema.prefixItems)];
  if (schema.items === undefined || schema.items === true) {
    return { ...omit(schema, 'prefixItems'), items: schema.items === true ? {} : { anyOf: items } };
  }
  if (schema.items !== false) items.push(schema.items);
  const limit = schema.items === false ? { maxItems: listOf(schema.prefixItems).length } : {};
  return { ...limit, ...omit(schema, 'prefixItems'), items: { anyOf: items } };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
