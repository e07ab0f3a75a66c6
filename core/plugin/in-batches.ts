import { setImmediate } from 'node:timers/promises';

/** Works on a bounded number at the same time, and lets others have a turn between; answers in the order of the items. */
export async function inBatches<Item, Value>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await setImmediate();
    values.push(...(await Promise.all(items.slice(from, from + size).map(work))));
  }
  return values;
}
