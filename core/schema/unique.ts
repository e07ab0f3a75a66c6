/** The first two items that are equal, found in time linear in the array's size. */
export function findDuplicate(
  items: readonly unknown[],
  spend: (steps: number) => void,
): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const key = canonical(item, spend);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, index];
    seen.set(key, index);
  }
  return undefined;
}

/** A text that is the same for equal JSON values, whatever the order of their keys. */
function canonical(value: unknown, spend: (steps: number) => void): string {
  spend(1);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, spend)).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, spend)}`).join()}}`;
  }
  if (typeof value === 'string') spend(value.length >> 6);
  // 0 and -0 are equal; JSON writes both as 0.
  return JSON.stringify(value) ?? 'undefined';
}
