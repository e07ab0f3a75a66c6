import { suggestNames } from '../suggest-names.ts';

const KEYS: readonly string[] = [
  'name',
  'title',
  'description',
  'parameters',
  'jsonSchema',
  'returns',
  'examples',
  'annotations',
  'limits',
  'approval',
  'tags',
];

/**
 * What a program without types may hand in, seen when it registers and not when a model calls.
 *
 * @throws TypeError naming what is wrong.
 */
export function checkDefinition(definition: unknown, run: unknown): void {
  if (typeof definition !== 'object' || definition === null)
    throw new TypeError('a tool is defined by an object: { name, description, parameters }');
  const { name, description } = definition as Readonly<Record<string, unknown>>; // any key may be read
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError('a tool needs a "name", a text that is not empty');
  if (typeof description !== 'string')
    throw new TypeError(
      `Tool "${name}": "description" must be a text; it is all that a model knows of the tool.`,
    );
  if (typeof run !== 'function') throw new TypeError(`Tool "${name}": what it runs must be a function.`);
  for (const key of Object.keys(definition)) {
    if (KEYS.includes(key)) continue;
    const [meant] = suggestNames(key, KEYS);
    const hint = meant === undefined ? `known are ${KEYS.join(', ')}` : `did you mean "${meant}"?`;
    throw new TypeError(`Tool "${name}": a definition has no "${key}"; ${hint}`);
  }
}
