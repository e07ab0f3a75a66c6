const MOST_NAMED = 3;

/** `"a", "b", "c" and 297 more`: with hundreds of plugins a finding must not grow with each. */
export function nameSome(names: readonly string[]): string {
  const quoted = names.slice(0, MOST_NAMED).map((name) => `"${name}"`);
  const left = names.length - quoted.length;
  if (left > 0) return `${quoted.join(', ')} and ${left} more`;
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}
