import { type PathStep, parsePath, showPath } from './path.ts';

const REFERENCE = /\{\{\s*(\$[^{}]*?)\s*\}\}/g;
const MOST_REFERENCES = 200;
const DEEPEST = 50;

/**
 * A copy of the value with every `{{$.id...}}` in its strings replaced. A string that is one reference and nothing
 * else becomes the value itself; inside other text it becomes text.
 *
 * @throws Error for a reference that leads nowhere.
 */
export function fillIn(
  value: unknown,
  results: ReadonlyMap<string, unknown>,
  ids: readonly string[],
): unknown {
  let count = 0;
  const resolve = (source: string): unknown => {
    count += 1;
    if (count > MOST_REFERENCES) throw new Error(`there are more than ${MOST_REFERENCES} references`);
    return lookUp(source, results, ids);
  };
  const walk = (part: unknown, depth: number): unknown => {
    if (depth > DEEPEST) throw new Error('the arguments are nested too deeply');
    if (typeof part === 'string') return fillInText(part, resolve);
    if (Array.isArray(part)) return part.map((item) => walk(item, depth + 1));
    if (typeof part !== 'object' || part === null) return part;
    // fromEntries defines own properties: a key called __proto__ is only a key.
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner, depth + 1)]));
  };
  return walk(value, 0);
}

function fillInText(text: string, resolve: (source: string) => unknown): unknown {
  const [whole] = [...text.matchAll(REFERENCE)];
  if (whole !== undefined && whole[0] === text.trim()) return resolve(whole[1] ?? '');
  return text.replace(REFERENCE, (_all, source: string) => {
    const found = resolve(source);
    return typeof found === 'string' ? found : (JSON.stringify(found) ?? '');
  });
}

function lookUp(source: string, results: ReadonlyMap<string, unknown>, ids: readonly string[]): unknown {
  const path = parsePath(source);
  const [root, ...rest] = path;
  if (root === undefined || root.kind !== 'key') throw new Error(`${source} must begin with $.id`);
  if (!results.has(root.name)) throw new Error(describeUnknown(root.name, results, ids));
  return follow(results.get(root.name), rest, [root]);
}

function describeUnknown(
  name: string,
  results: ReadonlyMap<string, unknown>,
  ids: readonly string[],
): string {
  if (ids.includes(name)) return `$.${name} refers to a step that has not run yet`;
  const known = [...results.keys()];
  return `there is no earlier step "${name.slice(0, 60)}"${known.length === 0 ? '' : `; there are ${known.join(', ')}`}`;
}

function follow(value: unknown, path: readonly PathStep[], before: readonly PathStep[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const here = [...before, step];
  if (step.kind === 'all') {
    const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : undefined;
    if (items === undefined)
      throw new Error(`${showPath(here)}: ${showPath(before)} is ${kindOf(value)}, no list`);
    return items.map((item) => follow(item, rest, here));
  }
  if (step.kind === 'index') {
    if (!Array.isArray(value))
      throw new Error(`${showPath(here)}: ${showPath(before)} is ${kindOf(value)}, no list`);
    const at = step.index < 0 ? value.length + step.index : step.index;
    if (at < 0 || at >= value.length)
      throw new Error(`${showPath(here)}: the list has ${value.length} items, from 0 on`);
    return follow(value[at], rest, here);
  }
  if (!isObject(value))
    throw new Error(`${showPath(here)}: ${showPath(before)} is ${kindOf(value)}, no object`);
  if (!Object.hasOwn(value, step.name)) {
    const keys = Object.keys(value).slice(0, 8).join(', ');
    throw new Error(`${showPath(here)}: no such key; there are ${keys === '' ? 'none' : keys}`);
  }
  return follow(value[step.name], rest, here);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
