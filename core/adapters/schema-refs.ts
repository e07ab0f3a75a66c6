import type { JsonSchema } from '../plugin/manifest.ts';
import { canonical, childrenOf, isObject } from './schema-node.ts';

const MAX_INDEXED_NODES = 100_000;

/** Resolves the references inside one schema document. Nothing outside of it is ever loaded. */
export class References {
  readonly #root: JsonSchema;
  readonly #recursive = new WeakMap<object, boolean>();
  #named: Map<string, object> | undefined;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  get root(): JsonSchema {
    return this.#root;
  }

  /** The raw node that a `$ref` names, or undefined. A target that is a boolean schema is given as an object. */
  resolve(reference: string): object | undefined {
    const fragment = reference.indexOf('#');
    const base = fragment === -1 ? reference : reference.slice(0, fragment);
    const pointer = fragment === -1 ? '' : reference.slice(fragment + 1);
    const start = base === '' ? this.#root : this.#byName(base);
    if (start === undefined) return undefined;
    if (pointer === '') return start;
    if (!pointer.startsWith('/')) return this.#byName(`#${pointer}`);
    return walkPointer(start, pointer);
  }

  /** Does following references from this node lead back to it? */
  isRecursive(target: object): boolean {
    const known = this.#recursive.get(target);
    if (known !== undefined) return known;
    const seen = new Set<object>();
    const waiting: unknown[] = [target];
    let found = false;
    while (waiting.length > 0 && !found) {
      const schema = canonical(waiting.pop());
      const nodes = [...childrenOf(schema)].map((child) => child.node);
      if (typeof schema.$ref === 'string') nodes.push(this.resolve(schema.$ref));
      for (const node of nodes) {
        if (!isObject(node)) continue;
        if (node === target) found = true;
        if (!seen.has(node)) {
          seen.add(node);
          waiting.push(node);
        }
      }
    }
    this.#recursive.set(target, found);
    return found;
  }

  #byName(name: string): object | undefined {
    this.#named ??= indexNames(this.#root);
    return this.#named.get(name);
  }
}

function walkPointer(start: object, pointer: string): object | undefined {
  let node: unknown = start;
  for (const token of pointer.slice(1).split('/')) {
    const key = decodeToken(token);
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key]; // cast: own property of an object, checked above
  }
  if (typeof node === 'boolean') return canonical(node);
  return isObject(node) ? node : undefined;
}

function decodeToken(token: string): string {
  const unescaped = token.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

function indexNames(root: JsonSchema): Map<string, object> {
  const names = new Map<string, object>();
  const waiting: unknown[] = [root];
  for (let count = 0; waiting.length > 0 && count < MAX_INDEXED_NODES; count += 1) {
    const node = waiting.pop();
    if (Array.isArray(node)) {
      for (const item of node) waiting.push(item);
      continue;
    }
    if (!isObject(node)) continue;
    for (const anchor of [node.$anchor, node.$dynamicAnchor]) {
      if (typeof anchor === 'string' && !names.has(`#${anchor}`)) names.set(`#${anchor}`, node);
    }
    for (const id of [node.$id, node.id]) {
      if (typeof id === 'string' && !names.has(id)) names.set(id, node);
    }
    for (const value of Object.values(node)) waiting.push(value);
  }
  return names;
}
