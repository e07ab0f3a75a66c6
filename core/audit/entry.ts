import type { CallRecord } from '../call/call.ts';
import type { ErrorCode } from '../call/result.ts';
import type { CapabilityUse } from '../permissions/broker.ts';

/** One line of the audit: what happened in one call. */
export interface AuditEntry {
  /** When the call was answered, ISO 8601 in UTC. */
  readonly time: string;
  readonly id?: string;
  readonly session?: string;
  /** The tools whose calls led to this one. */
  readonly chain?: readonly string[];
  readonly tool: string;
  readonly version?: string;
  readonly origin?: string;
  /** Types and sizes of the arguments, no values. */
  readonly shape: Shape;
  /** Only where the operator asked for them; secrets taken out. */
  readonly arguments?: unknown;
  readonly repairs?: readonly string[];
  readonly approval?: string;
  readonly uses?: readonly CapabilityUse[];
  /** `ok`, or the error's code. */
  readonly outcome: string;
  /** Did the tool's code have effects? Only for errors. */
  readonly effects?: string;
  readonly message?: string;
  readonly contentChars: number;
  readonly truncated?: true;
  readonly usage: CallRecord['usage'];
}

/** e.g. `string(12)`, `number`, `array(3)`; an object's members one by one. */
export type Shape = string | { readonly [key: string]: Shape };

export interface EntryOptions {
  /** Write the arguments themselves. @defaultValue false */
  readonly arguments?: boolean;
  /** For tests. @defaultValue now */
  readonly time?: Date;
}

const DEEPEST_SHAPE = 4;
const MOST_KEYS = 50;
/** Members of all objects together: a few calls with large arguments must not push all others out of the files. */
const MOST_MEMBERS = 500;
const LONGEST_KEY = 64;
const LONGEST_TEXT = 1_000;
const LONGEST_ARGUMENTS = 10_000;

/** The line for a call, from the executor's record of it (whose texts are redacted already). */
export function createAuditEntry(record: CallRecord, options: EntryOptions = {}): AuditEntry {
  const args = parse(record.arguments);
  const { tool, repairs, error, usage } = record;
  return {
    time: (options.time ?? new Date()).toISOString(),
    // Whoever embeds the host gives the id; nothing makes sure that it is a text.
    ...(record.id === undefined ? {} : { id: cut(String(record.id)) }),
    ...(record.session === undefined ? {} : { session: cut(record.session) }),
    ...(record.chain.length === 0 ? {} : { chain: record.chain.map(cut) }),
    tool: cut(tool.name),
    ...(tool.version === undefined ? {} : { version: tool.version }),
    ...(tool.origin === undefined ? {} : { origin: tool.origin }),
    shape: args.ok
      ? shapeOf(args.value, 0, { left: MOST_MEMBERS })
      : `unreadable(${record.arguments.length})`,
    ...(options.arguments
      ? {
          arguments:
            args.ok && record.arguments.length <= LONGEST_ARGUMENTS
              ? args.value
              : record.arguments.slice(0, LONGEST_ARGUMENTS),
        }
      : {}),
    ...(repairs.length === 0
      ? {}
      : { repairs: repairs.map(({ kind, path }) => cut(`${kind} ${path}`.trim())) }),
    ...(record.approval === undefined ? {} : { approval: record.approval }),
    ...(record.uses.length === 0 ? {} : { uses: record.uses }),
    outcome: record.ok ? 'ok' : (error?.code ?? 'internal'),
    ...(error === undefined ? {} : { effects: error.outcome }),
    ...(error === undefined || (quotesArguments(error.code) && !options.arguments)
      ? {}
      : { message: cut(error.message) }),
    contentChars: record.contentChars,
    ...(record.truncated ? { truncated: true } : {}),
    usage,
  };
}

/** These messages say what came, word for word. */
function quotesArguments(code: ErrorCode): boolean {
  return code === 'invalid_arguments' || code === 'malformed_arguments' || code === 'truncated_arguments';
}

function shapeOf(value: unknown, depth: number, members: { left: number }): Shape {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `array(${value.length})`;
  if (typeof value !== 'object') return typeof value;
  const keys = Object.keys(value);
  if (depth >= DEEPEST_SHAPE || (keys.length > 0 && members.left <= 0)) return `object(${keys.length})`;
  const shown = Object.entries(value).slice(0, Math.min(MOST_KEYS, members.left));
  members.left -= shown.length;
  return Object.fromEntries([
    ...shown.map(
      ([key, member]) => [key.slice(0, LONGEST_KEY), shapeOf(member, depth + 1, members)] as const,
    ),
    ...(keys.length > shown.length ? [['…', `${keys.length - shown.length} more`] as const] : []),
  ]);
}

function parse(json: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  if (json.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(json) };
  } catch {
    return { ok: false };
  }
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** A line of the file as an entry, or undefined for one that is none (a line cut by a crash). */
export function readAuditLine(line: string): AuditEntry | undefined {
  const parsed = line === '' ? undefined : parse(line);
  if (!parsed?.ok || typeof parsed.value !== 'object' || parsed.value === null) return undefined;
  const { time, tool, outcome } = parsed.value as Record<string, unknown>; // an object by the check
  const isEntry = typeof time === 'string' && typeof tool === 'string' && typeof outcome === 'string';
  // The file is the host's own; these three fields tell its entries from anything else.
  return isEntry ? (parsed.value as AuditEntry) : undefined;
}
