import type { ToolError } from './result.ts';

/** What one stage of a call came to. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ToolError };

export function failed(error: ToolError): { readonly ok: false; readonly error: ToolError } {
  return { ok: false, error };
}
