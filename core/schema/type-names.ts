import { closest, distance } from 'fastest-levenshtein';

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
export type TypeName = (typeof TYPES)[number];

/** Names that other languages and tools give to JSON's types. `any` stands for no constraint. */
const ALIASES: Readonly<Record<TypeName | 'any', readonly string[]>> = {
  string:
    'str char character text varchar charsequence nvarchar uuid guid date datetime time timestamp url uri email path file filepath bytes blob binary base64 symbol regexp regex enum'.split(
      ' ',
    ),
  number: 'float double decimal real num numeric bigdecimal float32 float64 single'.split(' '),
  integer:
    'int long short byte bigint biginteger int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 usize size_t'.split(
      ' ',
    ),
  boolean: ['bool', 'bit', 'flag'],
  object:
    'dict dictionary hashmap map mapping record struct json treemap linkedhashmap namedtuple dataclass class hash jsonobject'.split(
      ' ',
    ),
  array:
    'list tuple set arraylist linkedlist vector sequence iterable collection frozenset hashset ndarray queue jsonarray stringarray'.split(
      ' ',
    ),
  null: ['none', 'nonetype', 'nil', 'void', 'undefined', 'nulltype'],
  any: ['any', '', 'mixed', 'unknown', 'dynamic', 'variant', '*', 'anything', 'interface{}', 'union'],
};

const BY_ALIAS = new Map<string, TypeName | 'any'>([
  ...Object.entries(ALIASES).flatMap(([type, names]) =>
    // Object.entries forgets that the keys are these names.
    names.map((name) => [name, type as TypeName | 'any'] as const),
  ),
  ...TYPES.map((type) => [type, type] as const),
]);

export interface ReadType {
  /** Empty: anything. */
  readonly types: readonly TypeName[];
  /** What is within the brackets of `List<String>`. */
  readonly items?: ReadType;
  /** The name meant nothing to us; it was taken as anything. */
  readonly unknown?: boolean;
}

const ANYTHING: ReadType = { types: [] };
const MAX_NAME = 200;

/** Reads `dict`, `String`, `List<int>`, `Optional[str]`, `int | None`, `string[]`, `java.util.Map<K, V>`. */
export function readTypeName(text: string, depth = 0): ReadType {
  const name = text.trim();
  if (name.length > MAX_NAME || depth > 5) return { types: [], unknown: true };
  const union = splitTopLevel(name, '|');
  if (union.length > 1) return unite(union.map((part) => readTypeName(part, depth + 1)));
  if (name.endsWith('?')) return nullable(readTypeName(name.slice(0, -1), depth + 1));
  if (name.endsWith('[]')) return { types: ['array'], items: readTypeName(name.slice(0, -2), depth + 1) };
  const generic = /^([\w.]+)\s*[<[(](.*)[>\])]$/s.exec(name);
  if (generic) return readGeneric(generic[1] ?? '', generic[2] ?? '', depth);
  return readPlain(name);
}

function readGeneric(outer: string, inner: string, depth: number): ReadType {
  const parts = splitTopLevel(inner, ',').map((part) => readTypeName(part, depth + 1));
  const base = lastName(outer);
  if (base === 'optional' || base === 'nullable') return nullable(parts[0] ?? ANYTHING);
  if (base === 'union') return unite(parts);
  if (base === 'literal') return { types: [] };
  const plain = readPlain(outer);
  const [only] = parts;
  return plain.types[0] === 'array' && parts.length === 1 && only ? { ...plain, items: only } : plain;
}

function readPlain(name: string): ReadType {
  const plain = lastName(name);
  const known = BY_ALIAS.get(plain);
  if (known === 'any') return ANYTHING;
  if (known) return { types: [known] };
  const near = closest(plain, [...TYPES]);
  if (plain.length >= 4 && distance(plain, near) <= 2) {
    const type = TYPES.find((candidate) => candidate === near);
    if (type) return { types: [type] };
  }
  return { types: [], unknown: true };
}

/** `java.util.Map` -> `map`. */
function lastName(name: string): string {
  return name.toLowerCase().split('.').at(-1)?.trim() ?? '';
}

function nullable(read: ReadType): ReadType {
  return read.types.length === 0 ? read : { ...read, types: [...new Set([...read.types, 'null' as const])] };
}

function unite(parts: readonly ReadType[]): ReadType {
  if (parts.some((part) => part.types.length === 0)) {
    return parts.some((part) => part.unknown) ? { types: [], unknown: true } : ANYTHING;
  }
  const items = parts.find((part) => part.items)?.items;
  return { types: [...new Set(parts.flatMap((part) => part.types))], ...(items && { items }) };
}

/** Splits at a separator that is within no brackets. */
function splitTopLevel(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if ('<[('.includes(character)) depth++;
    if ('>])'.includes(character)) depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
