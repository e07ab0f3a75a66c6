import { resolvePolicy } from '../permissions/index.ts';
import { CAPABILITIES, type Capability } from '../permissions/policy.ts';
import type { PermissionRequest, SecretUse } from '../plugin/manifest.ts';
import { done, misused, type Outcome } from './outcome.ts';

/**
 * Grants from `--only` options: `net` (all that is asked of it), `net=GET https://api.example.com/*` (just that),
 * `secrets=NAME`, `storage=1MB`. What the plugin does not ask for is refused, since granting it would do nothing.
 */
export function chooseGrants(
  options: readonly string[],
  request: PermissionRequest,
): Outcome<PermissionRequest> {
  const lists = new Map<Capability, string[]>();
  const secrets = new Map<string, SecretUse>();
  let storage: string | undefined;
  for (const option of options) {
    const [name = '', ...rest] = option.split('=');
    const value = rest.length === 0 ? undefined : rest.join('=').trim();
    const capability = CAPABILITIES.find((each) => each === name.trim());
    if (capability === undefined)
      return misused(`--only ${option}: "${name}" is no capability; there are ${CAPABILITIES.join(', ')}`);
    if (value === '') return misused(`--only ${option}: a value must follow "="`);
    const asked = request[capability];
    if (asked === undefined) return misused(`--only ${option}: it does not ask for ${capability}`);
    if (capability === 'storage') storage = value ?? request.storage;
    else if (capability === 'secrets') {
      const uses = Object.entries(request.secrets ?? {}).filter(
        ([key]) => value === undefined || key === value,
      );
      if (uses.length === 0) return misused(`--only ${option}: it does not ask for the secret ${value}`);
      for (const [key, use] of uses) secrets.set(key, use);
    } else {
      const rules = value === undefined ? (request[capability] ?? []) : [value];
      lists.set(capability, [...new Set([...(lists.get(capability) ?? []), ...rules])]);
    }
  }
  const grants: PermissionRequest = {
    ...Object.fromEntries(lists),
    ...(secrets.size === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    ...(storage === undefined ? {} : { storage }),
  };
  const policy = resolvePolicy(request, grants);
  if (policy.ok) return done(grants);
  const [problem] = policy.problems;
  return misused(`--only: ${problem?.path} ${problem?.message}`);
}
