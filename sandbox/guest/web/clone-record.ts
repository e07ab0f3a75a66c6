/** What "StructuredSerialize" leaves behind: the value in a form that no plugin code can change any more. */

export type CloneRecord =
  | { readonly kind: 'primitive'; readonly value: unknown }
  | { readonly kind: 'wrapper'; readonly value: unknown }
  | { readonly kind: 'date'; readonly time: number }
  | { readonly kind: 'regexp'; readonly source: string; readonly flags: string }
  | { readonly kind: 'buffer'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'transfer'; readonly index: number }
  | {
      readonly kind: 'view';
      readonly type: string;
      readonly buffer: CloneRecord;
      readonly offset: number;
      readonly length: number;
    }
  | { readonly kind: 'map'; entries: readonly (readonly [CloneRecord, CloneRecord])[] }
  | { readonly kind: 'set'; entries: readonly CloneRecord[] }
  | ErrorRecord
  | {
      readonly kind: 'array';
      readonly length: number;
      properties: readonly (readonly [string, CloneRecord])[];
    }
  | { readonly kind: 'object'; properties: readonly (readonly [string, CloneRecord])[] }
  /** A platform object that is serializable: makes its own copy. */
  | { readonly kind: 'platform'; readonly copy: () => object };

export interface ErrorRecord {
  readonly kind: 'error';
  readonly name: string;
  readonly message: string | undefined;
  readonly stack: string | undefined;
  cause?: CloneRecord;
}

interface Serializable {
  readonly matches: (value: object) => boolean;
  readonly copy: (value: object) => object;
}

/** Interfaces that are [Serializable]; each adds itself when its module is first used. */
export const serializables: Serializable[] = [];

interface Transferable {
  readonly matches: (value: object) => boolean;
  /** Detaches it and gives what stands for it on the other side. @throws DataCloneError if it is detached already. */
  readonly transfer: (value: object) => object;
}

/** Interfaces that are [Transferable]; each adds itself when its module is first used. */
export const transferables: Transferable[] = [];

export const ERROR_TYPES: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};
