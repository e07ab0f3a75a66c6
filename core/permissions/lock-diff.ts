import type { PermissionRequest } from '../plugin/manifest.ts';
import { isRecord, ownValue } from '../schema/pointer.ts';
import { describePermissions, type Locale, printable } from './describe.ts';
import { canonicalJson, LOCKED_PARTS, type LockEntry, type LockedPart } from './lock-entry.ts';

export interface LockChange {
  readonly part: LockedPart;
  /** Lines for a person: `+` new, `-` gone, `~` changed. Nothing in them can steer a terminal. */
  readonly lines: readonly string[];
}

export interface LockDiff {
  readonly changes: readonly LockChange[];
  /** What it may ask for now and did not before, in plain words. */
  readonly widened: readonly string[];
}

const MOST_LINES = 40;
const REWRITTEN: readonly string[] = [
  '~ schema.json was written anew; nothing that is read of it has changed',
];
const IN_SCHEMA_FILE: ReadonlySet<LockedPart> = new Set(['description', 'permissions']);

export function diffEntries(old: LockEntry, next: LockEntry, locale: Locale = 'en'): LockDiff {
  const changed = LOCKED_PARTS.filter((part) => old.hashes[part] !== next.hashes[part]);
  const changes = changed
    .map((part) => ({ part, lines: bounded(linesOf(part, old, next)) }))
    // The bytes of schema.json have changed with the description or the permissions that stand in it.
    .filter(
      ({ lines }, _index, all) => lines !== REWRITTEN || all.every(({ part }) => !IN_SCHEMA_FILE.has(part)),
    );
  return { changes, widened: widening(old, next, locale) };
}

function linesOf(part: LockedPart, old: LockEntry, next: LockEntry): readonly string[] {
  if (part === 'code') return [`~ ${old.hashes.code.slice(0, 19)}… -> ${next.hashes.code.slice(0, 19)}…`];
  if (part === 'description') return lineDiff(old.description.split('\n'), next.description.split('\n'));
  if (part === 'permissions')
    return lineDiff(describePermissions(old.permissions), describePermissions(next.permissions));
  const lines = valueDiff('', old.schema, next.schema);
  return lines.length > 0 ? lines : REWRITTEN;
}

function bounded(lines: readonly string[]): readonly string[] {
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'] : lines;
}

function lineDiff(old: readonly string[], next: readonly string[]): readonly string[] {
  return [
    ...old.filter((line) => !next.includes(line)).map((line) => `- ${printable(line)}`),
    ...next.filter((line) => !old.includes(line)).map((line) => `+ ${printable(line)}`),
  ];
}

/** Paths in the schema whose values differ. */
function valueDiff(path: string, old: unknown, next: unknown): readonly string[] {
  if (canonicalJson(old) === canonicalJson(next)) return [];
  if (isRecord(old) && isRecord(next)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
    return keys.flatMap((key) => valueDiff(`${path}/${key}`, ownValue(old, key), ownValue(next, key)));
  }
  const where = printable(path || '/', 200);
  const show = (value: unknown) => printable(canonicalJson(value), 120);
  if (old === undefined) return [`+ ${where}: ${show(next)}`];
  return next === undefined ? [`- ${where}: ${show(old)}`] : [`~ ${where}: ${show(old)} -> ${show(next)}`];
}

function widening(old: LockEntry, next: LockEntry, locale: Locale): readonly string[] {
  const before = describePermissions(old.permissions, locale);
  const nothing = describePermissions({}, locale);
  const added = describePermissions(next.permissions, locale).filter(
    (line) => !before.includes(line) && !nothing.includes(line),
  );
  return [...added, ...loosened(old, next), ...templateChanges(old.permissions, next.permissions)];
}

/** Words about itself that make people and hosts less careful. */
function loosened(old: LockEntry, next: LockEntry): readonly string[] {
  const read = (entry: LockEntry, ...path: readonly string[]) =>
    path.reduce<unknown>((value, key) => (isRecord(value) ? ownValue(value, key) : undefined), entry.schema);
  const lines: string[] = [];
  for (const key of ['readOnly', 'idempotent']) {
    if (read(next, 'annotations', key) === true && read(old, 'annotations', key) !== true) {
      lines.push(`annotations.${key}: true`);
    }
  }
  const wasDestructive = read(old, 'annotations', 'destructive') === true;
  if (wasDestructive && read(next, 'annotations', 'destructive') !== true)
    lines.push('annotations.destructive: no longer');
  const approval = read(old, 'approval');
  const strict = approval === 'always' || approval === 'destructive';
  const now = read(next, 'approval');
  if (strict && now !== approval && now !== 'always')
    lines.push(`approval: ${String(approval)} -> ${String(now ?? 'none')}`);
  return lines;
}

/** A template is not part of the plain words, but decides what is sent along with a secret. */
function templateChanges(old: PermissionRequest, next: PermissionRequest): readonly string[] {
  return Object.entries(next.secrets ?? {}).flatMap(([name, use]) => {
    const before = ownValue(old.secrets ?? {}, name);
    const changed = isRecord(before) && before.value !== use.value;
    return changed ? [`secrets.${printable(name)}.value: ${printable(String(use.value))}`] : [];
  });
}
