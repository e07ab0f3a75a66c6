import type { CapabilityUse } from '../permissions/broker.ts';
import { leastGrant } from '../permissions/grant.ts';
import type { Capability } from '../permissions/policy.ts';
import type { PermissionRequest, SecretUse } from '../plugin/manifest.ts';
import type { AuditEntry } from './entry.ts';
import { type ReadAuditOptions, readAudit } from './read.ts';

export interface GrantSuggestion {
  /** The least grants that cover what was used: the value of `grants` for this plugin. */
  readonly grants: PermissionRequest;
  /** What was refused and `grants` does not cover, for the operator to judge. */
  readonly refused: readonly {
    readonly capability: Capability;
    readonly target: string;
    readonly count: number;
  }[];
  readonly calls: number;
}

export interface SuggestOptions extends Pick<ReadAuditOptions, 'path' | 'since'> {
  /** The plugin's own request: where its secrets go stands there and not in the audit. */
  readonly request?: PermissionRequest;
}

/** Targets in one place after which they are taken together with a wildcard. */
const MOST_ALIKE = 20;

/** Derives the least grants of a tool from what its calls used. */
export async function suggestGrants(name: string, options: SuggestOptions): Promise<GrantSuggestion> {
  const since = options.since === undefined ? {} : { since: options.since };
  return suggestFrom(readAudit({ path: options.path, tool: name, ...since }), options.request);
}

export async function suggestFrom(
  entries: AsyncIterable<AuditEntry>,
  request: PermissionRequest = {},
): Promise<GrantSuggestion> {
  const used = new Map<Capability, Set<string>>();
  const refused = new Map<string, { capability: Capability; target: string; count: number }>();
  let calls = 0;
  for await (const entry of entries) {
    calls += 1;
    for (const use of entry.uses ?? []) {
      if (use.allowed) addTo(used, use);
      else {
        const key = `${use.capability} ${use.target}`;
        const known = refused.get(key) ?? { capability: use.capability, target: use.target, count: 0 };
        refused.set(key, { ...known, count: known.count + use.count });
      }
    }
  }
  const grants = grantsFrom(used, request);
  // Refused at first and used since, once it was granted: the suggestion has it.
  return { grants, refused: [...refused.values()].filter((use) => !covers(grants, use)), calls };
}

function covers(
  grants: PermissionRequest,
  { capability, target }: Pick<CapabilityUse, 'capability' | 'target'>,
): boolean {
  const granted = grants[capability];
  // Storage is refused as a whole; how large it is was for its grant to say.
  if (!Array.isArray(granted)) return capability === 'storage' && granted !== undefined;
  const rules = leastOf(capability, [target]);
  return rules.some((rule) => granted.includes(rule) || granted.includes(`${placeOf(rule)}*`));
}

function addTo(used: Map<Capability, Set<string>>, use: CapabilityUse): void {
  const targets = used.get(use.capability) ?? new Set();
  used.set(use.capability, targets.add(use.target));
}

function grantsFrom(
  used: ReadonlyMap<Capability, ReadonlySet<string>>,
  request: PermissionRequest,
): PermissionRequest {
  const lists = (['net', 'read', 'write', 'env', 'tools'] as const).flatMap((capability) => {
    const targets = [...(used.get(capability) ?? [])].sort();
    const alike = capability === 'net' || capability === 'read' || capability === 'write';
    const rules = alike ? together(capability, targets) : leastOf(capability, targets);
    return rules.length === 0 ? [] : [[capability, rules] as const];
  });
  const storage = [...(used.get('storage') ?? [])].at(-1);
  const secrets = secretsFrom(used.get('secrets') ?? new Set(), request);
  return {
    ...Object.fromEntries(lists),
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
    ...(storage === undefined ? {} : { storage }),
  };
}

function together(capability: Capability, targets: readonly string[]): readonly string[] {
  const rules = leastOf(capability, targets);
  const places = Map.groupBy(rules, placeOf);
  return [...places].flatMap(([place, alike]) => (alike.length > MOST_ALIKE ? [`${place}*`] : alike));
}

function placeOf(rule: string): string {
  return rule.slice(0, rule.lastIndexOf('/') + 1);
}

function leastOf(capability: Capability, targets: readonly string[]): readonly string[] {
  const values = targets.map((target) => leastGrant(capability, target));
  return [...new Set(values.flatMap((value) => (Array.isArray(value) ? value.map(String) : [])))];
}

function secretsFrom(names: ReadonlySet<string>, request: PermissionRequest): Record<string, SecretUse> {
  const found: Record<string, SecretUse> = {};
  for (const name of names) {
    const use = Object.hasOwn(request.secrets ?? {}, name) ? request.secrets?.[name] : undefined;
    if (use) found[name] = use;
  }
  return found;
}
