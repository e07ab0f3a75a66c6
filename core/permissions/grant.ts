import type { Capability } from './policy.ts';

/** A use that the policy does not cover. */
export interface Denial {
  readonly capability: Capability;
  /** What was wanted, as the plugin wrote it: `GET https://example.com/x`, `./data/a.txt`, a tool's name. */
  readonly target: string;
  /** Why, in one sentence. */
  readonly reason: string;
  /** Does schema.json ask for it? If not, a grant alone changes nothing. */
  readonly requested: boolean;
  /** For the operator: the line for `grants` in registry.config.json; absent where no grant can help. */
  readonly grant?: string;
}

/** The least value that allows `target`, as it stands in schema.json and in a grant. */
export function leastGrant(capability: Capability, target: string): unknown {
  if (capability === 'storage') return target;
  // No path pattern can spell these characters; `?` stands for exactly one.
  if (capability === 'read' || capability === 'write') return [target.replace(/[*?[\]{}!]/g, '?')];
  if (capability !== 'net') return [target];
  const match = /^(\S+) (\S+)$/.exec(target);
  const url = match ? URL.parse(match[2] ?? '') : null;
  if (!match || !url) return [target];
  return [`${match[1]} ${url.origin}${escapePattern(url.pathname)}`];
}

/** The exact entry of `grants` in registry.config.json: `"weather": { "net": ["GET https://…"] }`. */
export function grantLine(plugin: string, capability: Capability, target: string): string {
  return `${JSON.stringify(plugin)}: { ${JSON.stringify(capability)}: ${JSON.stringify(leastGrant(capability, target))} }`;
}

/** What the plugin's exception says, and, uncaught, the model. */
export function denialMessage(denial: Denial): string {
  const parts = [
    `${VERBS[denial.capability]} ${JSON.stringify(denial.target)} is not permitted: ${denial.reason}`,
  ];
  if (!denial.requested)
    parts.push(`schema.json must ask for it under "permissions"."${denial.capability}".`);
  if (denial.grant)
    parts.push(`This entry of "grants" in registry.config.json would allow it: ${denial.grant}`);
  return parts.join(' ');
}

const VERBS: Readonly<Record<Capability, string>> = {
  net: 'net: the request',
  read: 'read: reading',
  write: 'write: writing',
  env: 'env: the variable',
  secrets: 'secrets: using',
  tools: 'tools: calling',
  storage: 'storage: the use of',
};

function escapePattern(path: string): string {
  return path.replace(/[*:{}()?+\\]/g, (character) => `\\${character}`);
}
