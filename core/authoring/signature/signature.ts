import type { JsonSchema } from '../../plugin/manifest.ts';

/** What a function's signature and comment say of a tool. */
export interface Signature {
  /** The function's own name. */
  readonly name?: string;
  /** `object`: it takes one object of arguments, as a plugin does. `positional`: one after the other. */
  readonly style: 'object' | 'positional';
  /** With `positional`: what stands at each place; `context` is no argument of the caller. */
  readonly places: readonly { readonly name: string; readonly kind: 'argument' | 'rest' | 'context' }[];
  readonly isDefaultExport: boolean;
  /** Where the function stands, 1-based. */
  readonly line: number;
  readonly title?: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly returns?: JsonSchema;
  readonly examples: readonly { readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly warnings: readonly string[];
}
