import { createHash } from 'node:crypto';
import type { Manifest, PermissionRequest } from '../plugin/manifest.ts';
import { isRecord } from '../schema/pointer.ts';

/** What is held against the lock: a plugin as it would run. */
export interface LockSubject {
  readonly manifest: Manifest;
  /** SHA-256, hexadecimal. */
  readonly digests: {
    /** Of the bytes of every file that is part of the code, packages included. */
    readonly code: string;
    /** Of schema.json's bytes. */
    readonly schema: string;
  };
}

export type LockedPart = 'code' | 'description' | 'schema' | 'permissions';

export const LOCKED_PARTS: readonly LockedPart[] = ['code', 'description', 'schema', 'permissions'];

/** One plugin as it was consented to: a hash of each part, and the readable parts themselves for a diff. */
export interface LockEntry {
  readonly hashes: Readonly<Record<LockedPart, string>>;
  readonly description: string;
  /** SHA-256 of schema.json's bytes, which count too: a parser that reads them otherwise would see other values. */
  readonly source: string;
  readonly schema: unknown;
  readonly permissions: PermissionRequest;
}

export function entryOf({ manifest, digests }: LockSubject): LockEntry {
  const description = [manifest.title ?? '', manifest.description].join('\n').trim();
  const { parameters, returns, examples, annotations, limits, state, approval, tags, permissions } = manifest;
  // All of the manifest that is neither description nor permissions; undefined members vanish in JSON.
  const schema: unknown = JSON.parse(
    canonicalJson({ parameters, returns, examples, annotations, limits, state, approval, tags }),
  );
  const parts = { description, source: digests.schema, schema, permissions };
  return { hashes: { code: `sha256-${digests.code}`, ...hashParts(parts) }, ...parts };
}

/** Are the readable parts the ones that were hashed? The code's hash stands alone. */
export function isConsistent({ hashes, ...parts }: LockEntry): boolean {
  const again = hashParts(parts);
  return LOCKED_PARTS.every((part) => part === 'code' || again[part] === hashes[part]);
}

function hashParts({ description, source, schema, permissions }: Omit<LockEntry, 'hashes'>) {
  return {
    description: hash(description),
    schema: hash(canonicalJson({ source, schema })),
    permissions: hash(canonicalJson(permissions)),
  };
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

/** JSON with sorted keys: the same value is always the same text. */
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
  const { hashes, source, schema, permissions } = value;
  const hashOf = (part: LockedPart) => (typeof hashes[part] === 'string' ? hashes[part] : '');
  if (
    typeof source !== 'string' ||
    !isRecord(permissions) ||
    !LOCKED_PARTS.every((part) => /^sha256-[0-9a-f]{64}$/.test(hashOf(part)))
  ) {
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
    source,
    schema,
    // Only ever compared and printed; the policy reads schema.json itself.
    permissions: permissions as PermissionRequest,
  };
  return isConsistent(entry) ? entry : undefined;
}
