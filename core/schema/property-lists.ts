import { isRecord } from './pointer.ts';

const NAME_KEYS = ['name', 'key', 'field'];

/** Parameters written as a list: `[{name, type, desc, optional}]`, or `["city"]`. Undefined where an entry is neither. */
export function propertiesFromList(list: readonly unknown[]): Record<string, unknown> | undefined {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const saysRequired = list.some((entry) => isRecord(entry) && 'required' in entry);
  for (const entry of list) {
    const read = readEntry(entry);
    if (!read || read.name in properties) return undefined;
    properties[read.name] = read.schema;
    const optional = saysRequired
      ? !isTrue(read.required)
      : isTrue(read.optional) || 'default' in read.schema;
    if (!optional) required.push(read.name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** `{required_parameters: [...], optional_parameters: [...]}`, as some catalogues have it. */
export function propertiesFromTwoLists(
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const { required_parameters: required = [], optional_parameters: optional = [] } = value;
  if (!Array.isArray(required) || !Array.isArray(optional)) return undefined;
  const mark = (list: readonly unknown[], isRequired: boolean): unknown[] =>
    list.map((entry) => (isRecord(entry) ? { ...entry, required: isRequired } : entry));
  return propertiesFromList([...mark(required, true), ...mark(optional, false)]);
}

function readEntry(
  entry: unknown,
): { name: string; schema: Record<string, unknown>; required: unknown; optional: unknown } | undefined {
  if (typeof entry === 'string' && entry !== '') {
    return { name: entry, schema: {}, required: undefined, optional: undefined };
  }
  if (!isRecord(entry)) return undefined;
  const key = NAME_KEYS.find((candidate) => typeof entry[candidate] === 'string' && entry[candidate] !== '');
  if (key === undefined) return undefined;
  const { [key]: name, desc, required, optional, in: _place, schema, ...rest } = entry;
  const own = isRecord(schema) ? { ...schema, ...rest } : rest;
  const described = typeof desc === 'string' && !('description' in own) ? { ...own, description: desc } : own;
  // `required` as a list belongs to the entry's own properties.
  const kept = Array.isArray(required) ? { ...described, required } : described;
  return { name: String(name), schema: kept, required: Array.isArray(required) ? true : required, optional };
}

export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

export function isBooleanLike(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'string' && /^(?:true|false|yes|no)$/i.test(value));
}
