import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Characters; the formats' own patterns are quick up to here, and nothing real is longer. */
const MAX_FORMATTED = 2_048;
/** Payloads, which may be long; checked without a pattern, or by one that is linear. */
const UNBOUNDED = new Set(['byte', 'binary', 'password']);
const LOOSE_URI = /^[a-z][a-z0-9+.-]{0,63}:\S*$/i;
/** `data:` addresses are long. */
const URI_LIKE = new Set(['uri', 'url', 'uri-reference']);

export type FormatCheck =
  | { readonly type: 'number'; check(value: number): boolean }
  | { readonly type: 'string'; check(text: string): boolean };

function readFormats(): ReadonlyMap<string, FormatCheck> {
  const formats = new Map<string, FormatCheck>();
  for (const [name, format] of Object.entries(fullFormats)) {
    if (typeof format === 'boolean' || typeof format === 'string') {
      formats.set(name, { type: 'string', check: () => true });
    } else if (format instanceof RegExp)
      formats.set(
        name,
        bounded(name, (text) => format.test(text)),
      );
    else if (typeof format === 'function')
      formats.set(
        name,
        bounded(name, (text) => format(text) === true),
      );
    else if (format.type === 'number') {
      // ajv-formats' numeric formats are synchronous predicates.
      const check = format.validate as (value: number) => boolean;
      formats.set(name, { type: 'number', check });
    } else if (typeof format.validate === 'function') {
      // ajv-formats has no asynchronous formats.
      const check = format.validate as (text: string) => boolean;
      formats.set(name, bounded(name, check));
    }
  }
  return formats;
}

function bounded(name: string, check: (text: string) => boolean): FormatCheck {
  if (UNBOUNDED.has(name)) return { type: 'string', check };
  return {
    type: 'string',
    check: (text) =>
      text.length <= MAX_FORMATTED ? check(text) : URI_LIKE.has(name) && LOOSE_URI.test(text),
  };
}

/** The formats that are checked; all others are annotations. */
export const FORMATS: ReadonlyMap<string, FormatCheck> = readFormats();
