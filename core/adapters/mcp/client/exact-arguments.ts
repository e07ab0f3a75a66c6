import { isExactNumber } from '../../../call/arguments/scan-json.ts';

// ECMAScript's "JSON.parse source text access": in Node 24, not yet in TypeScript's ES2024 library.
interface SourceAccess {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const sourceAccess = JSON as unknown as SourceAccess;

/** Arguments that `JSON.stringify` writes with the very digits that the call had, whatever a double holds. */
export function exactArguments(json: string): Record<string, unknown> {
  const value = sourceAccess.parse(json, (_key, member, { source }) =>
    typeof member === 'number' && source !== undefined && !isExactNumber(source)
      ? sourceAccess.rawJSON(source)
      : member,
  );
  return value as Record<string, unknown>; // the pipeline has found it to be an object
}
