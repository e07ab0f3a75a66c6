import { readFile, stat } from 'node:fs/promises';
import { replaceFile } from '../replace-file.ts';
import { isRecord } from '../schema/pointer.ts';
import type { Locale } from './describe.ts';
import { codeOf } from './files/file-errors.ts';
import { diffEntries, type LockDiff } from './lock-diff.ts';
import {
  canonicalJson,
  entryOf,
  LOCKED_PARTS,
  type LockEntry,
  type LockSubject,
  readEntry,
} from './lock-entry.ts';

export type Admission =
  | { readonly kind: 'admitted' }
  | {
      readonly kind: 'held';
      /** `unknown`: nobody consented to this plugin yet. `damaged`: the lock can't be read, so nothing is admitted. */
      readonly reason: 'unknown' | 'changed' | 'damaged';
      /** Against what was consented to; only for `changed`. */
      readonly diff?: LockDiff;
      /** For the operator, several lines. */
      readonly text: string;
    };

export type LockChangeResult = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** registry.lock.json: what the operator consented to, plugin by plugin. */
export interface Lock {
  /** May this version run? Reads the file each time, so a consent given elsewhere counts at once. Never rejects. */
  admit(subject: LockSubject): Promise<Admission>;
  /** The same for several, with one look at the file; in their order. */
  admitAll(subjects: readonly LockSubject[]): Promise<readonly Admission[]>;
  /** Records a consent. Refused while the file is damaged: repairing it is a person's decision. */
  accept(subject: LockSubject): Promise<LockChangeResult>;
  /** Several at once, all or none. */
  acceptAll(subjects: readonly LockSubject[]): Promise<LockChangeResult>;
  /** Takes a consent back. */
  remove(name: string): Promise<LockChangeResult>;
}

const LOCK_VERSION = 1;
const LARGEST_LOCK = 64 * 1024 * 1024;

export function openLock(path: string, options: { readonly locale?: Locale } = {}): Lock {
  /** Changes one after the other; each starts from what is in the file then. */
  let last: Promise<unknown> = Promise.resolve();

  function change(edit: (entries: Map<string, LockEntry>) => void): Promise<LockChangeResult> {
    const turn = last.then(async (): Promise<LockChangeResult> => {
      const read = await readLock(path);
      if (!read.ok) return { ok: false, message: damagedText(read.problem) };
      edit(read.entries);
      try {
        await writeLock(path, read.entries);
        return { ok: true };
      } catch (error) {
        return {
          ok: false,
          message: `registry.lock.json could not be written (${codeOf(error) ?? 'unknown'})`,
        };
      }
    });
    last = turn;
    return turn;
  }

  return {
    async admit(subject) {
      return admission(await readLock(path), subject, options.locale);
    },
    async admitAll(subjects) {
      const read = await readLock(path);
      return subjects.map((subject) => admission(read, subject, options.locale));
    },
    accept: (subject) => change((entries) => entries.set(subject.manifest.name, entryOf(subject))),
    acceptAll: (subjects) =>
      change((entries) => {
        for (const subject of subjects) entries.set(subject.manifest.name, entryOf(subject));
      }),
    remove: (name) => change((entries) => entries.delete(name)),
  };
}

function admission(read: ReadLock, subject: LockSubject, locale: Locale | undefined): Admission {
  if (!read.ok) return { kind: 'held', reason: 'damaged', text: damagedText(read.problem) };
  const { name } = subject.manifest;
  const old = read.entries.get(name);
  if (!old) {
    const text = `${name} is not in registry.lock.json: nobody has consented to it. Look at it and run: glovebox grant ${name}`;
    return { kind: 'held', reason: 'unknown', text };
  }
  const next = entryOf(subject);
  if (LOCKED_PARTS.every((part) => old.hashes[part] === next.hashes[part])) return { kind: 'admitted' };
  const diff = diffEntries(old, next, locale);
  return { kind: 'held', reason: 'changed', diff, text: diffText(next, name, diff) };
}

/** The first line says what is to be known in a list. */
function diffText(next: LockEntry, name: string, { changes, widened }: LockDiff): string {
  const lines = [
    `${name} has changed since it was consented to and is held back. To see how, and accept it: glovebox grant ${name}`,
  ];
  if (Object.keys(next.permissions).length > 0)
    lines.push(
      `That grants all that it asks for; to leave its grants as they are: glovebox grant ${name} --keep`,
    );
  if (widened.length > 0) lines.push('It asks for more:', ...widened.map((line) => `  ! ${line}`));
  for (const change of changes) lines.push(`${change.part}:`, ...change.lines.map((line) => `  ${line}`));
  return lines.join('\n');
}

function damagedText(problem: string): string {
  return `registry.lock.json ${problem}, so no plugin under trust "granted" is admitted. Restore it, or delete it and consent again.`;
}

type ReadLock =
  | { readonly ok: true; readonly entries: Map<string, LockEntry> }
  | { readonly ok: false; readonly problem: string };

async function readLock(path: string): Promise<ReadLock> {
  let text: string;
  try {
    if ((await stat(path)).size > LARGEST_LOCK) return { ok: false, problem: 'is too large' };
    text = await readFile(path, 'utf8');
  } catch (error) {
    // No lock: nobody consented to anything, so everything is held as unknown.
    if (codeOf(error) === 'ENOENT') return { ok: true, entries: new Map() };
    return { ok: false, problem: `can't be read (${codeOf(error) ?? 'unknown'})` };
  }
  const value = parse(text);
  if (!isRecord(value) || !isRecord(value.plugins)) return { ok: false, problem: 'is damaged' };
  if (value.lockVersion !== LOCK_VERSION)
    return { ok: false, problem: 'has a version that is not known here' };
  const entries = new Map<string, LockEntry>();
  for (const [name, raw] of Object.entries(value.plugins)) {
    const entry = readEntry(raw);
    if (!entry) return { ok: false, problem: `is damaged at ${JSON.stringify(name.slice(0, 100))}` };
    entries.set(name, entry);
  }
  return { ok: true, entries };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The whole new file or the whole old one, whatever happens. */
async function writeLock(path: string, entries: ReadonlyMap<string, LockEntry>): Promise<void> {
  const sorted = [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
  const plugins: unknown = JSON.parse(canonicalJson(Object.fromEntries(sorted)));
  const text = `${JSON.stringify({ lockVersion: LOCK_VERSION, plugins }, undefined, 2)}\n`;
  await replaceFile(path, text, { mode: 0o644, durable: true });
}
