import type { JsonSchema } from '../plugin/manifest.ts';
import { isRawNumber, parseLossless } from './lossless-json.ts';
import { acceptsNull } from './schema-merge.ts';
import {
  canonical,
  childrenOf,
  fromEntries,
  isObject,
  listOf,
  mapOf,
  requiredOf,
  sameJson,
} from './schema-node.ts';
import {
  fits,
  fullReading,
  itemSchemas,
  namedProperty,
  type Reading,
  readings,
  unnamedProperty,
} from './schema-readings.ts';
import { References } from './schema-refs.ts';

/** Trying union branches multiplies; past this many steps all branches are read as one. */
const MAX_STEPS = 50_000;

/** Every property name that a schema document mentions, definitions included. */
export function propertyNames(root: JsonSchema): Set<string> {
  const references = new References(root);
  const names = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const raw = waiting.pop();
    if (!isObject(raw) || seen.has(raw)) continue;
    seen.add(raw);
    const schema = canonical(raw);
    for (const name of [...Object.keys(mapOf(schema.properties)), ...requiredOf(schema)]) names.add(name);
    for (const [name, others] of Object.entries(mapOf(schema.dependentRequired))) {
      for (const other of [name, ...listOf(others)]) names.add(String(other));
    }
    if (typeof schema.$ref === 'string') waiting.push(references.resolve(schema.$ref));
    for (const child of childrenOf(schema)) waiting.push(child.node);
  }
  return names;
}

export interface RestorePlan {
  readonly root: JsonSchema;
  /** Own property name to the exported one; one exported name stands for one own name. */
  readonly keyNames: ReadonlyMap<string, string>;
  /** Were optional properties exported as required-or-null? */
  readonly syntheticNulls: boolean;
}

type Budget = { steps: number };

/** Turns arguments from the exported form into the tool's own, and back. */
export class Restorer {
  readonly #plan: RestorePlan;
  readonly #references: References;
  readonly #originals = new Map<string, string>();

  constructor(plan: RestorePlan) {
    this.#plan = plan;
    this.#references = new References(plan.root);
    for (const [name, exported] of plan.keyNames) if (name !== exported) this.#originals.set(exported, name);
  }

  /** From a model's arguments to the tool's. Text stays text; what needs no change is given back as it came. */
  restore(value: unknown): unknown {
    if (this.#originals.size === 0 && !this.#plan.syntheticNulls) return value;
    const parsed = typeof value === 'string' ? parseLossless(value)?.value : value;
    // Broken text is the call pipeline's business, which tells the model what is wrong with it.
    if (!isObject(parsed)) return value;
    const restored = this.#decode(parsed, [this.#plan.root], { steps: MAX_STEPS });
    if (sameJson(restored, parsed)) return value;
    return typeof value === 'string' ? JSON.stringify(restored) : restored;
  }

  /** The other way: the tool's arguments with the exported property names. */
  encode(value: unknown): unknown {
    if (this.#originals.size === 0) return value;
    return this.#encode(value, [this.#plan.root], { steps: MAX_STEPS });
  }

  #decode(value: unknown, schemas: readonly unknown[], budget: Budget): unknown {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
    for (const parts of readings(schemas, this.#references)) {
      budget.steps -= 1;
      if (budget.steps < 0) break;
      const decoded = this.#decodeAs(value, parts, budget);
      if (decoded.complete && parts.every((part) => fits(decoded.value, part, this.#references, budget))) {
        return decoded.value;
      }
    }
    return this.#decodeAs(value, fullReading(schemas, this.#references), budget).value;
  }

  /** `complete`: this reading knows every key that came. */
  #decodeAs(value: object, parts: Reading, budget: Budget): { value: unknown; complete: boolean } {
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#decode(item, itemSchemas(parts, index), budget));
      return { value: items, complete: true };
    }
    const free = parts.every((part) => part.properties === undefined);
    const entries: [string, unknown][] = [];
    let complete = true;
    for (const [exported, inner] of Object.entries(value)) {
      const key = this.#ownKey(exported, parts);
      const named = namedProperty(parts, key);
      const schemas = named.length > 0 ? named : unnamedProperty(parts);
      if (inner === null && !free && this.#isSynthetic(key, parts)) continue;
      if (schemas === undefined && !free) complete = false;
      entries.push([key, this.#decode(inner, schemas ?? [], budget)]);
    }
    return { value: fromEntries(entries), complete };
  }

  #ownKey(exported: string, parts: Reading): string {
    const original = this.#originals.get(exported);
    return original !== undefined && namedProperty(parts, original).length > 0 ? original : exported;
  }

  /** A null that stands for "left out", which only a strict schema asks for. */
  #isSynthetic(key: string, parts: Reading): boolean {
    if (!this.#plan.syntheticNulls || parts.some((part) => requiredOf(part).includes(key))) return false;
    const named = namedProperty(parts, key);
    // Known to another branch only: strict schemas are closed, so the model had to write it.
    if (named.length === 0 && unnamedProperty(parts) === undefined) return true;
    return (
      parts.some((part) => forbids(part, key)) || named.some((node) => !acceptsNull(node, this.#references))
    );
  }

  #encode(value: unknown, schemas: readonly unknown[], budget: Budget): unknown {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
    const parts = this.#readingOf(value, schemas, budget);
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#encode(item, itemSchemas(parts, index), budget));
    }
    const entries = Object.entries(value).map(([key, inner]) => {
      const named = namedProperty(parts, key);
      const exported = named.length > 0 ? (this.#plan.keyNames.get(key) ?? key) : key;
      return [
        exported,
        this.#encode(inner, named.length > 0 ? named : (unnamedProperty(parts) ?? []), budget),
      ] as const;
    });
    return fromEntries(entries);
  }

  #readingOf(value: object, schemas: readonly unknown[], budget: Budget): Reading {
    for (const parts of readings(schemas, this.#references)) {
      budget.steps -= 1;
      if (budget.steps < 0) break;
      const known = Array.isArray(value) || Object.keys(value).every((key) => knows(parts, key));
      if (known && parts.every((part) => fits(value, part, this.#references, budget))) return parts;
    }
    return fullReading(schemas, this.#references);
  }
}

function knows(parts: Reading, key: string): boolean {
  return namedProperty(parts, key).length > 0 || unnamedProperty(parts) !== undefined;
}

/** A closed part of an intersection forbids what another part names. */
function forbids(part: JsonSchema, key: string): boolean {
  const closed = part.additionalProperties === false && part.patternProperties === undefined;
  return closed && !Object.hasOwn(mapOf(part.properties), key);
}
