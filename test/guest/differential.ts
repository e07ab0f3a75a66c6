import { expect } from 'vitest';
import type { Guest } from './guest-context.ts';

/** A piece of script by what it is about: the body of an async function. */
export type Cases = Readonly<Record<string, string>>;

/** Where the guest is meant to differ from Node, and why. */
export type Differences = Readonly<
  Record<string, { readonly node: unknown; readonly guest: unknown; readonly because: string }>
>;

/** Runs in both worlds: what came of each case, in a form that JSON carries. */
const RUNNER = `
  const show = (value, depth = 0) => {
    if (value === undefined) return 'undefined';
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
    if (typeof value === 'string') return 'text: ' + [...value].map((c) => c.isWellFormed() ? c : '\\\\u' + c.charCodeAt(0).toString(16)).join('');
    if (typeof value === 'bigint') return 'bigint: ' + value;
    if (typeof value === 'symbol') return String(value);
    if (typeof value === 'function') return 'function';
    if (depth > 6) return '...';
    const tag = Object.prototype.toString.call(value);
    if (Array.isArray(value)) return Array.from(value, (item) => show(item, depth + 1));
    if (value instanceof Map) return ['Map', [...value].map((item) => show(item, depth + 1))];
    if (value instanceof Set) return ['Set', [...value].map((item) => show(item, depth + 1))];
    if (value instanceof Date) return ['Date', show(value.getTime())];
    if (value instanceof RegExp) return ['RegExp', String(value), value.lastIndex];
    if (value instanceof Error) return ['Error', value.constructor.name, value.name, value.message, Object.hasOwn(value, 'cause') ? show(value.cause, depth + 1) : 'none'];
    if (value instanceof ArrayBuffer) return ['ArrayBuffer', [...new Uint8Array(value)]];
    if (ArrayBuffer.isView(value)) return [tag, [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)], value.byteOffset];
    if (tag !== '[object Object]') return [tag, typeof value.valueOf() === 'object' ? '' : show(value.valueOf(), depth + 1)];
    return ['Object', Object.keys(value).map((key) => [key, show(value[key], depth + 1)])];
  };
  const AsyncFunction = (async () => {}).constructor;
  const results = [];
  for (const [title, body] of cases) {
    try {
      results.push([title, { returned: show(await new AsyncFunction(body)()) }]);
    } catch (error) {
      const known = typeof error === 'object' && error !== null;
      results.push([title, { threw: known ? error.constructor.name + ' ' + error.name : show(error) }]);
    }
  }
  return results;`;

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (cases: unknown) => Promise<[string, unknown][]>; // what its constructor makes

/** Holds the guest to what Node does, case by case; a difference that is not listed, or that is gone, fails. */
export async function expectSameAsNode(
  guest: Guest,
  cases: Cases,
  differences: Differences = {},
): Promise<void> {
  const list = Object.entries(cases);
  const node = new Map(await new AsyncFunction('cases', RUNNER)(list));
  const answer = await guest.run(`const cases = ${JSON.stringify(list)};\n${RUNNER}`);
  const inGuest = new Map(answer as [string, unknown][]); // made by the runner
  const expected = Object.fromEntries(
    list.map(([title]) => {
      const difference = Object.hasOwn(differences, title) ? differences[title] : undefined;
      if (difference !== undefined)
        expect(node.get(title), `Node has changed: ${title}`).toEqual(difference.node);
      return [title, difference === undefined ? node.get(title) : difference.guest];
    }),
  );
  expect(Object.fromEntries(inGuest)).toEqual(expected);
  expect(Object.keys(differences).filter((title) => !(title in cases))).toEqual([]);
}

/** One case for each input, with the input in the place of `$`. */
export function casesFor(inputs: readonly unknown[], body: string): Cases {
  return Object.fromEntries(
    inputs.map((input) => {
      const text = typeof input === 'string' ? JSON.stringify(input) : String(input);
      return [`${body} | ${text}`, body.replaceAll('$', () => text)];
    }),
  );
}
