import { createHash } from 'node:crypto';
import type { Manifest, PermissionRequest } from '../plugin/manifest.ts';
import { isRecord } from '../schema/pointer.ts';

/** What is held against the lock: a plugin as it would run. */
export interface LockSubject {
  readonly manifest: Manifest;
  /** The code that would run: one text, e.g. the bundle. */
  readonly code: string;
}

export type LockedPart = 'code' | 'description' | 'schema' | 'permissions';

export const LOCKED_PARTS: readonly LockedPart[] = ['code', 'description', 'schema', 'permissions'];

/** One plugin as it was consented to: a hash of each part, and the readable parts themselves for a diff. */
export interface LockEntry {
  readonly hashes: Readonly<Record<LockedPart, string>>;
  readonly description: string;
  readonly schema: unknown;
  readonly permissions: PermissionRequest;
}

export function entryOf({ manifest, code }: LockSubject): LockEntry {
  const description = [manifest.title ?? '', manifest.description].join('\n').trim();
  const { parameters, returns, examples, annotations, limits, state, approval, tags, permissions } = manifest;
  // All of the manifest that is neither description nor permissions; undefined members vanish in JSON.
  const schema: unknown = JSON.parse(
    canonicalJson({ parameters, returns, examples, annotations, limits, state, approval, tags }),
  );
  return { hashes: hashParts(code, description, schema, permissions), description, schema, permissions };
}

/** Are the readable parts the ones that were hashed? The code's hash stands alone. */
export function isConsistent({ hashes, description, schema, permissions }: LockEntry): boolean {
  const again = hashParts('', description, schema, permissions);
  return LOCKED_PARTS.every((part) => part === 'code' || again[part] === hashes[part]);
}

function hashParts(code: string, description: string, schema: unknown, permissions: PermissionRequest) {
  return {
    code: hash(code),
    description: hash(description),
    schema: hash(canonicalJson(schema)),
    permissions: hash(canonicalJson(permissions)),
  };
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

/** JSON with sorted keys: moving a line in schema.json changes nothing that matters. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (!isRecord(inner)) return inner;
      const keys = Object.keys(inner).sort();
      // fromEntries defines `__proto__` as an own property, where an assignment would drop it.
      return Object.fromEntries(keys.map((key) => [key, inner[key]]));
    }) ?? 'null'
  );
}

/** An entry as it stands in the file, or undefined if it is none. */
export function readEntry(value: unknown): LockEntry | undefined {
  if (!isRecord(value) || !isRecord(value.hashes) || typeof value.description !== 'string') return undefined;
  const { hashes, schema, permissions } = value;
  const hashOf = (part: LockedPart) => (typeof hashes[part] === 'string' ? hashes[part] : '');
  if (!isRecord(permissions) || !LOCKED_PARTS.every((part) => /^sha256-[0-9a-f]{64}$/.test(hashOf(part)))) {
    return undefined;
  }
  const entry: LockEntry = {
    hashes: {
      code: hashOf('code'),
      description: hashOf('description'),
      schema: hashOf('schema'),
      permissions: hashOf('permissions'),
    },
    description: value.description,
    schema,
    // Only ever compared and printed; the policy reads schema.json itself.
    permissions: permissions as PermissionRequest,
  };
  return isConsistent(entry) ? entry : undefined;
}
