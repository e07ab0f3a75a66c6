import type { ThrownError } from '../../sandbox/sandbox.ts';

const MAX_MESSAGE_CHARS = 4_000;
const MAX_NAME_CHARS = 100;
const MAX_DEPTH = 3;
const MAX_ERRORS = 8;

/** Whatever a function threw, in the form in which the wall packs what a plugin threw. Never throws itself. */
export function packThrown(
  thrown: unknown,
  hostCallOf: (thrown: object) => number | undefined,
  depth = 0,
): ThrownError {
  if (thrown === undefined || thrown === null) return { name: '', message: '' };
  if (typeof thrown !== 'object' && typeof thrown !== 'function')
    return { name: '', message: cut(String(thrown), MAX_MESSAGE_CHARS) };
  const code = codeOf(thrown);
  const stack = field(thrown, 'stack', MAX_MESSAGE_CHARS);
  const hostCall = hostCallOf(thrown);
  return {
    // A function's own name says nothing about a failure.
    name: (typeof thrown === 'function' ? undefined : field(thrown, 'name', MAX_NAME_CHARS)) ?? 'Error',
    message: field(thrown, 'message', MAX_MESSAGE_CHARS) ?? '',
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
    ...(hostCall === undefined ? {} : { hostCall }),
    ...(depth < MAX_DEPTH ? inner(thrown, hostCallOf, depth) : {}),
  };
}

/** An HTTP client's error often has its status beside a code that only says who threw it (`ERR_BAD_REQUEST`). */
function codeOf(thrown: object): string | undefined {
  const code = field(thrown, 'code', MAX_NAME_CHARS);
  if (code !== undefined && !code.startsWith('ERR_')) return code;
  const response = read(thrown, 'response');
  const statuses = [
    read(thrown, 'status'),
    read(thrown, 'statusCode'),
    typeof response === 'object' && response !== null ? read(response, 'status') : undefined,
  ];
  const status = statuses.find((value) => typeof value === 'number' && value >= 400 && value <= 599);
  return status === undefined ? code : String(status);
}

function inner(
  thrown: object,
  hostCallOf: (thrown: object) => number | undefined,
  depth: number,
): Pick<ThrownError, 'cause' | 'errors'> {
  const cause = read(thrown, 'cause');
  const errors = read(thrown, 'errors');
  return {
    ...(cause === undefined || cause === null || cause === thrown
      ? {}
      : { cause: packThrown(cause, hostCallOf, depth + 1) }),
    ...(Array.isArray(errors)
      ? {
          errors: errors
            .slice(0, MAX_ERRORS)
            .map((error: unknown) => packThrown(error, hostCallOf, depth + 1)),
        }
      : {}),
  };
}

function field(thrown: object, key: string, length: number): string | undefined {
  const value = read(thrown, key);
  return typeof value === 'string' || typeof value === 'number' ? cut(String(value), length) : undefined;
}

function read(target: object, key: string): unknown {
  try {
    return (target as Readonly<Record<string, unknown>>)[key]; // any key may be read; the value is checked after
  } catch {
    return undefined;
  }
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
