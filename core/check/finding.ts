import { compareText } from '../compare-text.ts';
import type { JsonPath } from '../config/json-text.ts';

/** `error`: it does not work. `warning`: it works worse than it could. `note`: good to know. */
export type Level = 'error' | 'warning' | 'note';

/** A change of schema.json that keeps what it means. */
export interface JsonEdit {
  readonly path: JsonPath;
  /** Undefined: the key is removed. */
  readonly value: unknown;
}

export type SafeFix =
  | { readonly kind: 'json'; readonly edits: readonly JsonEdit[] }
  /** Write schema.d.ts anew. */
  | { readonly kind: 'types' };

export interface Finding {
  /** e.g. `schema`, `permissions/too-wide`, `description/when`. */
  readonly rule: string;
  readonly level: Level;
  /** Absent for what belongs to the config or to no plugin alone. */
  readonly plugin?: string;
  /** Absolute. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** What `--fix` does about it. */
  readonly safeFix?: SafeFix;
}

const ORDER: readonly Level[] = ['error', 'warning', 'note'];

/** By place; what is worst first where two share one. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (one, other) =>
      compareText(one.file, other.file) ||
      one.line - other.line ||
      one.column - other.column ||
      ORDER.indexOf(one.level) - ORDER.indexOf(other.level) ||
      compareText(one.message, other.message),
  );
}
