import { canonicalJson } from '../permissions/lock-entry.ts';
import { parseSize } from '../permissions/size.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { ownValue } from '../schema/pointer.ts';

const LISTS = ['net', 'read', 'write', 'env', 'tools'] as const;

/** What is asked for and not granted in the same words. A wider grant may cover it all the same. */
export function missingGrants(request: PermissionRequest, grants: PermissionRequest): PermissionRequest {
  const lists = LISTS.flatMap((name) => {
    const rest = (request[name] ?? []).filter((rule) => !(grants[name] ?? []).includes(rule));
    return rest.length === 0 ? [] : [[name, rest] as const];
  });
  const secrets = Object.entries(request.secrets ?? {}).filter(
    ([name, use]) => canonicalJson(use) !== canonicalJson(ownValue(grants.secrets ?? {}, name) ?? null),
  );
  const lacksStorage = (parseSize(request.storage) ?? 0) > (parseSize(grants.storage) ?? 0);
  return {
    ...Object.fromEntries(lists),
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    ...(lacksStorage && request.storage !== undefined ? { storage: request.storage } : {}),
  };
}

export function isEmptyRequest(request: PermissionRequest): boolean {
  return Object.values(request).every(
    (value) => value === undefined || (typeof value === 'object' && Object.keys(value).length === 0),
  );
}
