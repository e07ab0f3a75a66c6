import { suggestNames } from '../call/suggest-names.ts';
import type { Selection } from './view.ts';

const LISTS = ['allow', 'deny', 'tags'] as const satisfies (keyof Selection)[];
const KEYS: readonly string[] = [...LISTS, 'max'];

/**
 * What plain JavaScript may hand in. `{ alow: [...] }` would show everything, `tags: 'a'` nothing.
 *
 * @throws TypeError for anything but a selection.
 */
export function checkSelection(selection: Selection): void {
  const given: unknown = selection;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError('a selection is an object: { allow, deny, tags, max }');
  for (const key of Object.keys(given)) {
    if (KEYS.includes(key)) continue;
    const [meant] = suggestNames(key, KEYS);
    const hint = meant === undefined ? `known are ${KEYS.join(', ')}` : `did you mean "${meant}"?`;
    throw new TypeError(`a selection has no "${key}"; ${hint}`);
  }
  for (const key of LISTS) {
    const list: unknown = selection[key];
    if (list === undefined || (Array.isArray(list) && list.every((entry) => typeof entry === 'string')))
      continue;
    throw new TypeError(`"${key}" of a selection is a list of texts, as in ["github.*"]`);
  }
  const max: unknown = selection.max;
  if (max === undefined || max === Number.POSITIVE_INFINITY) return;
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 0)
    throw new TypeError('"max" of a selection is a whole number, 0 or more');
}
