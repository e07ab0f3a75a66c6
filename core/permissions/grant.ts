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

/** In the place of a target: uses beyond those that are told apart. */
export const OTHER_TARGETS = '(others)';

/**
 * The least value that allows `target`, as it stands in schema.json and in a grant. Undefined where no value allows it
 * and little else: the plugin chose the target, and `*` as the name of a host or a tool would be a grant of all.
 */
export function leastGrant(capability: Capability, target: string): unknown {
  if (target === OTHER_TARGETS) return undefined;
  switch (capability) {
    case 'storage':
      return target;
    case 'read':
    case 'write':
      // A pattern that ends in a slash means all that is below.
      if (target === './') return ['.'];
      // No path pattern can spell these characters; `?` stands for exactly one.
      return target.endsWith('/') ? undefined : [target.replace(/[*?[\]{}!]/g, '?')];
    case 'net':
      return leastNetGrant(target);
    default:
      return target.includes('*') ? undefined : [target];
  }
}

function leastNetGrant(target: string): readonly string[] | undefined {
  const match = /^(\S+) (\S+)$/.exec(target);
  const url = match ? URL.parse(match[2] ?? '') : null;
  if (!match || !url || /[*{}()+?\\]/.test(url.hostname)) return undefined;
  return [`${match[1]} ${url.origin}${escapePattern(url.pathname)}`];
}

/**
 * The exact entry of `grants` in registry.config.json: `"weather": { "net": ["GET https://…"] }`. Undefined where no
 * entry allows the target and little else.
 */
export function grantLine(plugin: string, capability: Capability, target: string): string | undefined {
  const least = leastGrant(capability, target);
  if (least === undefined) return undefined;
  return `${JSON.stringify(plugin)}: { ${JSON.stringify(capability)}: ${JSON.stringify(least)} }`;
}

/** What the plugin's exception says, and, uncaught, the model. */
export function denialMessage(denial: Denial): string {
  const { capability, target, reason, requested, grant } = denial;
  const use =
    capability === 'storage' ? 'storage: keeping data' : `${VERBS[capability]} ${JSON.stringify(target)}`;
  const parts = [`${use} is not permitted: ${reason}`];
  if (requested && grant)
    parts.push(`This entry of "grants" in registry.config.json would allow it: ${grant}`);
  else if (grant) {
    const request = `{ ${JSON.stringify(capability)}: ${JSON.stringify(leastGrant(capability, target))} }`;
    parts.push(
      `schema.json must ask for it: "permissions": ${request}. Under trust "granted" this entry of "grants" in registry.config.json must allow it too: ${grant}`,
    );
  } else if (!requested) parts.push(`schema.json must ask for it under "permissions"."${capability}".`);
  return parts.join(' ');
}

const VERBS: Readonly<Record<Exclude<Capability, 'storage'>, string>> = {
  net: 'net: the request',
  read: 'read: reading',
  write: 'write: writing',
  env: 'env: the variable',
  secrets: 'secrets: using',
  tools: 'tools: calling',
};

function escapePattern(path: string): string {
  return path.replace(/[*:{}()?+\\]/g, (character) => `\\${character}`);
}
