/** Checks on what a worker says: it is taken for hostile, so nothing in a head or a packed error is believed unseen. */
import type { CountsHead, HostCallHead, LeftHead, ResultForm, ResultHead } from '../../sandbox/protocol.ts';
import { MAX_THROWN_CHARS } from '../../sandbox/protocol.ts';
import type { LogLevel, StopReason, ThrownError } from './sandbox.ts';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const FORMS: readonly string[] = [
  'value',
  'void',
  'thrown',
  'unserialisable',
  'stopped',
  'late',
] satisfies ResultForm[];
const REASONS: readonly string[] = [
  'timeout',
  'cpu_limit',
  'memory_limit',
  'output_limit',
  'host_call_limit',
  'cancelled',
  'plugin_unavailable',
  'internal',
] satisfies StopReason[];
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies LogLevel[];
const MAX_INNER_ERRORS = 8;

type Fields = Readonly<Record<string, unknown>>;

function fields(head: unknown): Fields {
  if (typeof head !== 'object' || head === null) throw new ProtocolError('a head that is no object');
  return head as Fields; // an object by the line above
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new ProtocolError('a number that is none');
  return value;
}

export function checkResultHead(head: unknown): ResultHead & { readonly reason?: StopReason } {
  const { sequence, form, reason, cpuMs, heapBytes } = fields(head);
  if (!FORMS.includes(form as string)) throw new ProtocolError('an unknown form of result'); // includes() compares only
  if (form === 'stopped' && !REASONS.includes(reason as string)) throw new ProtocolError('an unknown reason'); // as above
  return {
    sequence: count(sequence),
    form: form as ResultForm, // checked above
    cpuMs: count(cpuMs),
    heapBytes: count(heapBytes),
    ...(form === 'stopped' ? { reason: reason as StopReason } : {}), // checked above
  };
}

export function checkLeftHead(head: unknown): LeftHead {
  const { sequence, cpuMs } = fields(head);
  return { sequence: count(sequence), cpuMs: count(cpuMs) };
}

export function checkHostCallHead(head: unknown): HostCallHead {
  const { number, method } = fields(head);
  if (typeof method !== 'string') throw new ProtocolError('a host call without a method');
  return { number: count(number), method };
}

export function checkCountsHead(head: unknown): CountsHead {
  const { isolates, contexts, compiles } = fields(head);
  return { isolates: count(isolates), contexts: count(contexts), compiles: count(compiles) };
}

export function checkLevel(head: unknown): LogLevel {
  const { level } = fields(head);
  return LEVELS.includes(level as string) ? (level as LogLevel) : 'info'; // checked in the same line
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A packed error; anything that is not one becomes an error without a message. */
export function readThrown(text: string): ThrownError {
  if (text.length > MAX_THROWN_CHARS * 4) return { name: 'Error', message: '' };
  try {
    return thrown(JSON.parse(text), 0);
  } catch {
    return { name: 'Error', message: '' };
  }
}

function thrown(value: unknown, depth: number): ThrownError {
  const { name, message, code, stack, cause, errors, hostCall } = fields(value);
  const packed: { -readonly [Key in keyof ThrownError]: ThrownError[Key] } = {
    name: typeof name === 'string' ? name.slice(0, 100) : '',
    message: typeof message === 'string' ? message : '',
  };
  if (typeof code === 'string') packed.code = code.slice(0, 100);
  if (typeof stack === 'string') packed.stack = stack;
  if (typeof hostCall === 'number') packed.hostCall = hostCall;
  if (depth < 4 && typeof cause === 'object' && cause !== null) packed.cause = thrown(cause, depth + 1);
  if (depth < 4 && Array.isArray(errors)) {
    packed.errors = errors.slice(0, MAX_INNER_ERRORS).map((inner) => thrown(inner, depth + 1));
  }
  return packed;
}

export function readUnserialisable(text: string): { message: string; path: string } {
  try {
    const { message, path } = fields(JSON.parse(text));
    return { message: String(message).slice(0, 200), path: String(path).slice(0, 500) };
  } catch {
    return { message: 'it could not be written as JSON', path: '' };
  }
}
