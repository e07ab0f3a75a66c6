import { pointerTo } from './pointer.ts';
import type { Problem } from './problem.ts';

/** Bytes of one schema.json; the largest of 966 real tools has 9 kB. */
export const MAX_SCHEMA_BYTES = 262_144;
/** Values (objects, arrays, scalars) in one schema; the largest of 966 real tools has 264. */
export const MAX_SCHEMA_NODES = 5_000;
/** Levels of nesting; what comes later (the walk, ajv, V8's own parser of the generated code) recurses. */
export const MAX_SCHEMA_DEPTH = 100;

const FORBIDDEN = '__proto__';

/** Counts brackets outside of strings, without building or recursing: safe on any text. */
export function textDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

export type Measured =
  | { readonly ok: true; readonly nodes: number }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Refuses a value that is too large or deep, that contains itself, or whose keys reach for a prototype.
 * Walks with a list of its own, so that depth can't overflow the stack.
 */
export function measureJson(root: unknown, at = ''): Measured {
  const pending: { value: unknown; pointer: string; depth: number }[] = [
    { value: root, pointer: at, depth: 0 },
  ];
  let nodes = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    nodes++;
    if (nodes + pending.length > MAX_SCHEMA_NODES) {
      return fail(at, `has more than ${MAX_SCHEMA_NODES.toLocaleString('en')} values`);
    }
    const { value, pointer, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    // A value that contains itself has no end: the same bound ends it.
    if (depth >= MAX_SCHEMA_DEPTH) return fail(at, `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    for (const key of Object.keys(value)) {
      const child: unknown = Reflect.get(value, key);
      if (key === FORBIDDEN || (key === 'constructor' && reachesPrototype(child))) {
        return fail(pointerTo(pointer, key), `the key "${key}" is not allowed: it reaches for a prototype`);
      }
      pending.push({ value: child, pointer: pointerTo(pointer, key), depth: depth + 1 });
    }
  }
  return { ok: true, nodes };
}

function reachesPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

function fail(path: string, message: string): Measured {
  return { ok: false, problem: { path, message } };
}
