import type { Words } from './words.ts';

const MAX_VALUE = 80;
const MAX_LISTED = 20;

/** A value as JSON, bounded; large ones aren't written out whole first. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, MAX_VALUE * 2)));
  if (typeof value === 'object' && value !== null) return cut(showShallow(value));
  return cut(JSON.stringify(value) ?? String(value));
}

function showShallow(value: object): string {
  const json = (item: unknown): string =>
    typeof item === 'object' && item !== null ? (Array.isArray(item) ? '[…]' : '{…}') : showValue(item);
  if (Array.isArray(value))
    return `[${value.slice(0, 10).map(json).join(', ')}${value.length > 10 ? ', …' : ''}]`;
  const entries = Object.entries(value).slice(0, 10);
  return `{${entries.map(([key, item]) => `${showValue(key)}: ${json(item)}`).join(', ')}}`;
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

export function showKey(key: string): string {
  return `\`${cut(key)}\``;
}

/** At most 20 of a list, and how many more there are. */
export function showList(parts: readonly string[], words: Words): readonly string[] {
  return parts.length <= MAX_LISTED
    ? parts
    : [...parts.slice(0, MAX_LISTED), words.more(parts.length - MAX_LISTED)];
}

/** What came, with its type: `the string "three"`, `an array of 3 items`. */
export function describeReceived(value: unknown, words: Words): string {
  const { received } = words;
  if (value === null || value === undefined) return received.null;
  if (typeof value === 'string') return received.string(showValue(value), value.length);
  if (Array.isArray(value)) return received.array(value.length);
  if (typeof value === 'object')
    return received.object(showList(Object.keys(value).map(showKey), words).slice(0, 8));
  return received.scalar(typeof value === 'boolean' ? 'boolean' : 'number', showValue(value));
}
