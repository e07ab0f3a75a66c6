import { isRecord, resolvePointer } from './pointer.ts';
import { showKey, showList, showValue } from './show.ts';
import type { Words } from './words.ts';

const MAX_DEPTH = 3;

/** Follows a local `$ref`; what can't be followed stays as it is. */
export function dereference(schema: unknown, root: unknown): unknown {
  let current = schema;
  for (let step = 0; step < 10 && isRecord(current) && typeof current.$ref === 'string'; step++) {
    const { $ref } = current;
    if ($ref === '#') current = root;
    else if ($ref.startsWith('#/')) current = resolvePointer(root, $ref.slice(1)) ?? current;
    else return current;
  }
  return current;
}

/** What a schema wants, in a few words: `a string`, `one of "a", "b"`, `an object with `id``. */
export function describeSchema(schema: unknown, root: unknown, words: Words, depth = 0): string | undefined {
  const found = dereference(schema, root);
  if (!isRecord(found) || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(found.enum)) return words.expected.oneOf(showList(found.enum.map(showValue), words));
  if ('const' in found) return words.expected.exactly(showValue(found.const));
  const union = Array.isArray(found.anyOf)
    ? found.anyOf
    : Array.isArray(found.oneOf)
      ? found.oneOf
      : undefined;
  if (union && found.type === undefined) {
    const parts = union.slice(0, 6).map((branch) => describeSchema(branch, root, words, depth + 1));
    const known = [...new Set(parts.filter((part) => part !== undefined))];
    return known.length > 0 ? words.list(known, 'or') : undefined;
  }
  return describeTyped(found, root, words, depth);
}

function describeTyped(
  schema: Readonly<Record<string, unknown>>,
  root: unknown,
  words: Words,
  depth: number,
): string | undefined {
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  const keys = requiredKeys(schema, root);
  if ((types.length === 0 || types[0] === 'object') && keys.length > 0) {
    return words.expected.objectWith(showList(keys, words).slice(0, 8));
  }
  const [only] = types;
  if (only === 'array' && types.length === 1) {
    const items = describeSchema(schema.items, root, words, depth + 1);
    return items === undefined ? describeTypes(types, words) : words.expected.arrayOf(items);
  }
  if (only === 'string' && types.length === 1 && typeof schema.format === 'string') {
    return words.expected.format(schema.format, FORMAT_EXAMPLES[schema.format]);
  }
  return types.length > 0 ? describeTypes(types, words) : undefined;
}

/** `kind` "circle", `radius`: what tells one object from another is shown with its value. */
function requiredKeys(schema: Readonly<Record<string, unknown>>, root: unknown): readonly string[] {
  if (!Array.isArray(schema.required)) return [];
  return schema.required
    .filter((name) => typeof name === 'string')
    .map((name) => {
      const property = isRecord(schema.properties) ? dereference(schema.properties[name], root) : undefined;
      const fixed = isRecord(property) ? fixedValue(property) : undefined;
      return fixed === undefined ? showKey(name) : `${showKey(name)} ${showValue(fixed)}`;
    });
}

function fixedValue(schema: Readonly<Record<string, unknown>>): unknown {
  if ('const' in schema) return schema.const;
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}

export function describeTypes(types: readonly string[], words: Words): string {
  return words.list(
    types.map((type) => words.types[type] ?? type),
    'or',
  );
}

export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: '2024-05-31',
  'date-time': '2024-05-31T14:30:00Z',
  time: '14:30:00Z',
  duration: 'PT1H30M',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  uri: 'https://example.com/page',
  url: 'https://example.com/page',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};
