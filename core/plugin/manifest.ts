import type { Limits } from '../config/limits.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Annotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** A secret as it is placed at the edge of an allowed request; the plugin never sees its value. */
export interface SecretUse {
  readonly header: string;
  /** Template, e.g. `Bearer ${WEATHER_KEY}`. */
  readonly value: string;
  /** Origin that it may be sent to. */
  readonly for: string;
}

/** What a plugin asks for in schema.json. Asking grants nothing. */
export interface PermissionRequest {
  readonly net?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly env?: readonly string[];
  readonly secrets?: Readonly<Record<string, SecretUse>>;
  readonly tools?: readonly string[];
  readonly storage?: string;
}

export interface Example {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

export type State = 'fresh' | 'session' | 'plugin';
export type ApprovalRule = 'always' | 'destructive' | 'never';

/** schema.json after reading and normalising: the one source of truth of a tool. */
export interface Manifest {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Always an object schema at the root. */
  readonly parameters: JsonSchema;
  readonly returns?: JsonSchema;
  readonly examples: readonly Example[];
  readonly annotations: Annotations;
  readonly permissions: PermissionRequest;
  /** Only what the plugin itself sets. */
  readonly limits: Partial<Limits>;
  readonly state: State;
  readonly approval?: ApprovalRule;
  readonly tags: readonly string[];
}

/** Something odd in schema.json that was put right; never silent. */
export interface Warning {
  /** JSON Pointer into schema.json. */
  readonly path: string;
  readonly message: string;
}

/** The names of a schema.json's own form, and of the exports with which code may say the same. */
export const MANIFEST_KEYS = [
  'name',
  'title',
  'description',
  'parameters',
  'returns',
  'examples',
  'annotations',
  'permissions',
  'limits',
  'state',
  'approval',
  'tags',
] as const;
