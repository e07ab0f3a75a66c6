import { UNREADABLE_ERROR } from '../crossing.ts';
import { failedHostCall } from './bridge.ts';
import { cut, isArray, setOwn, stringify, toText, wellFormed } from './intrinsics.ts';
import { packValue } from './pack-value.ts';

const MAX_MESSAGE_CHARS = 4_000;
const MAX_STACK_CHARS = 8_000;
const MAX_DEPTH = 3;
const MAX_ERRORS = 8;

interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: PackedError;
  readonly errors?: readonly PackedError[];
  readonly hostCall?: number;
}

/** JSON of whatever was thrown. Every read may run plugin code: it can throw, but only inside the timed region. */
export function packThrown(thrown: unknown): string {
  try {
    return stringify(describe(thrown, 0));
  } catch {
    return UNREADABLE_ERROR;
  }
}

function describe(thrown: unknown, depth: number): PackedError {
  if (thrown === undefined || thrown === null) return { name: '', message: '' };
  if (typeof thrown !== 'object' && typeof thrown !== 'function') {
    return { name: '', message: text(thrown, MAX_MESSAGE_CHARS) };
  }
  const packed: PackedError = {
    // A function's own name says nothing about a failure.
    name: (typeof thrown === 'function' ? undefined : field(thrown, 'name', 100)) ?? 'Error',
    message: field(thrown, 'message', MAX_MESSAGE_CHARS) ?? contentOf(thrown),
  };
  const code = codeOf(thrown);
  if (code !== undefined) setOwn(packed, 'code', code);
  const stack = field(thrown, 'stack', MAX_STACK_CHARS);
  if (stack !== undefined) setOwn(packed, 'stack', stack);
  const hostCall = failedHostCall(thrown);
  if (hostCall !== undefined) setOwn(packed, 'hostCall', hostCall);
  if (depth < MAX_DEPTH) addInnerErrors(thrown, packed, depth);
  return packed;
}

/** An HTTP client's error often has its status beside a code that only says who threw it (`ERR_BAD_REQUEST`). */
function codeOf(thrown: object): string | undefined {
  const code = field(thrown, 'code', 100);
  if (code !== undefined && cut(code, 4) !== 'ERR_') return code;
  const response = read(thrown, 'response');
  return (
    statusOf(read(thrown, 'status')) ??
    statusOf(read(thrown, 'statusCode')) ??
    (typeof response === 'object' && response !== null ? statusOf(read(response, 'status')) : undefined) ??
    code
  );
}

function statusOf(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 400 && value <= 599 ? toText(value) : undefined;
}

/** `throw { weird: 1 }` says something too. */
function contentOf(thrown: object): string {
  const packed = packValue(thrown);
  return packed.form === 'value' && packed.text !== '{}' ? `threw ${cut(packed.text, 200)}` : '';
}

function addInnerErrors(thrown: object, packed: PackedError, depth: number): void {
  const cause = read(thrown, 'cause');
  if (typeof cause === 'object' && cause !== null && cause !== thrown)
    setOwn(packed, 'cause', describe(cause, depth + 1));
  const errors = read(thrown, 'errors');
  if (!isArray(errors)) return;
  const inner: PackedError[] = [];
  for (let index = 0; index < errors.length && index < MAX_ERRORS; index += 1) {
    setOwn(inner, index, describe(read(errors, index), depth + 1));
  }
  setOwn(packed, 'errors', inner);
}

function field(thrown: object, key: string, length: number): string | undefined {
  const value = read(thrown, key);
  return typeof value === 'string' || typeof value === 'number' ? text(value, length) : undefined;
}

function read(target: object, key: PropertyKey): unknown {
  try {
    return (target as Record<PropertyKey, unknown>)[key]; // any key may be read; the value is checked after
  } catch {
    return undefined;
  }
}

function text(value: unknown, length: number): string {
  return wellFormed(cut(toText(value), length));
}
