import type { PermissionRequest, SecretUse } from '../plugin/manifest.ts';
import type { FileRule } from './files/glob.ts';
import type { NetRule } from './net/pattern.ts';
import { readPermissions } from './read-permissions.ts';

export type Capability = 'net' | 'read' | 'write' | 'env' | 'secrets' | 'tools' | 'storage';

export const CAPABILITIES: readonly Capability[] = [
  'net',
  'read',
  'write',
  'env',
  'secrets',
  'tools',
  'storage',
];

/** A pattern of tool names: `math.*`. */
export interface NameRule {
  readonly text: string;
  /** What one character of a name can cost. */
  readonly cost: number;
  matches(name: string): boolean;
}

/** What was asked and what was given; a use needs a rule of each. Patterns can't be intersected, decisions can. */
export interface Both<Rule> {
  readonly requested: readonly Rule[];
  readonly granted: readonly Rule[];
}

/** What one plugin may do. Immutable. Whatever is not in here is denied. */
export interface Policy {
  readonly net: Both<NetRule>;
  readonly read: Both<FileRule>;
  readonly write: Both<FileRule>;
  readonly env: readonly string[];
  readonly secrets: Readonly<Record<string, SecretUse>>;
  readonly tools: Both<NameRule>;
  /** Bytes; 0: no storage. */
  readonly storageBytes: number;
  /** Bytes that the plugin asks for. */
  readonly storageRequested: number;
}

export interface PolicyProblem {
  /** JSON Pointer into the permissions object, e.g. `/net/0`. */
  readonly path: string;
  readonly in: 'request' | 'grant';
  /** A sentence without its subject's path. */
  readonly message: string;
}

export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * The policy of a plugin: request ∩ grant, each capability for itself. `as_requested` is for tools that the operator
 * wrote (`trust: "declared"`). Anything of the wrong shape fails the whole: half a policy is nobody's intention.
 */
export function resolvePolicy(
  request: PermissionRequest | undefined,
  grant: PermissionRequest | 'as_requested' | undefined,
): PolicyResult {
  const problems: PolicyProblem[] = [];
  const asked = readPermissions(request ?? {}, 'request', problems);
  const given = grant === 'as_requested' ? asked : readPermissions(grant ?? {}, 'grant', problems);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    policy: {
      net: both(asked.net, given.net),
      read: both(asked.read, given.read),
      write: both(asked.write, given.write),
      env: asked.env.filter((name) => given.env.includes(name)),
      secrets: commonSecrets(asked.secrets, given.secrets),
      tools: both(asked.tools, given.tools),
      storageBytes: Math.min(asked.storageBytes, given.storageBytes),
      storageRequested: asked.storageBytes,
    },
  };
}

/** The policy of a plugin that asks for nothing. */
export const NO_PERMISSIONS: Policy = {
  net: { requested: [], granted: [] },
  read: { requested: [], granted: [] },
  write: { requested: [], granted: [] },
  env: [],
  secrets: {},
  tools: { requested: [], granted: [] },
  storageBytes: 0,
  storageRequested: 0,
};

/** Plain values for the guest's `process.env`: what the policy names and the source has. */
export function environmentFor(
  policy: Policy,
  source: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = Object.create(null);
  for (const name of policy.env) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    // A name that is a secret too stays a secret.
    if (value !== undefined && !Object.hasOwn(policy.secrets, name)) environment[name] = value;
  }
  return environment;
}

function both<Rule>(requested: readonly Rule[], granted: readonly Rule[]): Both<Rule> {
  return { requested, granted };
}

function commonSecrets(
  asked: Readonly<Record<string, SecretUse>>,
  given: Readonly<Record<string, SecretUse>>,
): Readonly<Record<string, SecretUse>> {
  const common: Record<string, SecretUse> = Object.create(null);
  for (const [name, use] of Object.entries(asked)) {
    const other = given[name];
    // The place where a secret goes is the grant: another header, template or origin is another permission.
    if (other && other.header === use.header && other.value === use.value && other.for === use.for) {
      common[name] = use;
    }
  }
  return common;
}
