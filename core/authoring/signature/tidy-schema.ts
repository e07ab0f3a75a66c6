import { isRecord } from '../../schema/pointer.ts';

type Schema = Readonly<Record<string, unknown>>;

/** More than this is not written out a second time: shared types stay references then. */
const MAX_NODES = 2_000;
const PREFIX = '#/definitions/';
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/**
 * The generator's draft-07 as a person would write it in 2020-12: types stand where they are used, except those that
 * contain themselves; tuples are `prefixItems`; `@integer` is a type.
 */
export function tidySchema(schema: unknown, definitions: Schema): Schema {
  const whole = new Tidying(definitions, false).run(schema);
  return countNodes(whole) <= MAX_NODES ? whole : new Tidying(definitions, true).run(schema);
}

class Tidying {
  readonly #definitions: Schema;
  readonly #keepReferences: boolean;
  /** Definitions that had to stay, by the generator's name, with their new names. */
  readonly #kept = new Map<string, string>();
  readonly #open = new Set<string>();
  #nodes = 0;

  constructor(definitions: Schema, keepReferences: boolean) {
    this.#definitions = definitions;
    this.#keepReferences = keepReferences;
  }

  run(schema: unknown): Schema {
    // The root is always written out: tools need an object there, not a reference.
    const root = this.#visit(schema, true);
    const kept: Record<string, unknown> = {};
    // What is kept may keep more.
    for (const [name, newName] of this.#kept) {
      this.#open.add(name);
      kept[newName] = this.#visit(this.#definitions[name], false);
      this.#open.delete(name);
    }
    const result = isRecord(root) ? root : {};
    return this.#kept.size === 0 ? result : { ...result, $defs: kept };
  }

  #visit(value: unknown, isRoot: boolean): unknown {
    this.#nodes += 1;
    if (Array.isArray(value)) return value.map((item) => this.#visit(item, false));
    if (!isRecord(value)) return value;
    const { $ref, ...siblings } = value;
    const name =
      typeof $ref === 'string' && $ref.startsWith(PREFIX)
        ? decodeURIComponent($ref.slice(PREFIX.length))
        : undefined;
    if (name === undefined) return this.#rewrite(value);
    const isRecursive = this.#open.has(name) || this.#kept.has(name);
    if (!isRoot && (isRecursive || this.#keepReferences || this.#nodes > MAX_NODES))
      return { $ref: `#/$defs/${this.#keep(name)}`, ...this.#rewrite(siblings) };
    this.#open.add(name);
    const target = this.#visit(this.#definitions[name], isRoot);
    this.#open.delete(name);
    // In the middle of itself it was referred to: it stays a definition, and all places agree.
    if (!isRoot && this.#kept.has(name))
      return { $ref: `#/$defs/${this.#keep(name)}`, ...this.#rewrite(siblings) };
    return { ...(isRecord(target) ? target : {}), ...this.#rewrite(siblings) };
  }

  #rewrite(schema: Schema): Schema {
    const written: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'definitions' || key === '$schema') continue;
      if (DATA.has(key)) written[key] = value;
      else if (key === 'items' && Array.isArray(value)) written.prefixItems = this.#visit(value, false);
      else if (key === 'additionalItems') written.items = this.#visit(value, false);
      else if (key === 'integer') written.type = 'integer';
      else if (key === 'properties' && isRecord(value)) written[key] = this.#properties(value);
      else written[key] = this.#visit(value, false);
    }
    if (schema.integer === true || schema.integer === 'true') written.type = 'integer';
    return written;
  }

  /** Names of properties are no keywords. */
  #properties(properties: Schema): Schema {
    return Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, this.#visit(value, false)]),
    );
  }

  #keep(name: string): string {
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const plain =
      name
        .replace(/^.*\//, '')
        .replace(/[^A-Za-z0-9_.-]+/g, '_')
        .slice(0, 60) || 'type';
    const taken = new Set(this.#kept.values());
    let newName = plain;
    for (let count = 2; taken.has(newName); count += 1) newName = `${plain}_${count}`;
    this.#kept.set(name, newName);
    return newName;
  }
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countNodes(each), 1);
}
