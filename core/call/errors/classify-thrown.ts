import type { GuestError, ThrownError } from '../../sandbox/sandbox.ts';
import { stripAnsi } from '../../strip-ansi.ts';
import type { ThrownKind } from '../messages/catalogue.ts';
import { redactText } from './redact-text.ts';

/** Characters of a plugin's own message that are passed on. */
export const MAX_DETAIL_CHARS = 200;
/** Characters of the broker's denial that are passed on: it names its target three times, of 500 characters at most. */
const MAX_DENIAL_CHARS = 2_000;
const MAX_DEPTH = 4;

export interface ClassifyOptions {
  /** What the host answered to the host call of that number, if it answered with an error. */
  readonly hostError?: ((number: number) => GuestError | undefined) | undefined;
  /** Text that the model wrote itself; see `redactText`. */
  readonly known?: string;
}

export type ClassifiedError =
  /** The host's own refusal, proved by the number of the host call: a plugin can't forge it. */
  | { readonly kind: 'denied'; readonly detail: string }
  | { readonly kind: ThrownKind; readonly detail: string };

/** What a thrown value was about, from its codes and names first and from its words last. */
export function classifyThrown(error: ThrownError, options: ClassifyOptions = {}): ClassifiedError {
  const denial = findDenial(error, options, 0);
  // The broker's own words name the target that was asked for and the grant that is missing: nothing in them leaks.
  if (denial !== undefined)
    return { kind: 'denied', detail: detailLine(denial.message, denial.message, MAX_DENIAL_CHARS) };
  return { kind: kindOf(error, 0), detail: describeThrown(error, options.known) };
}

/** Wrapping a denial (`cause`, an AggregateError) doesn't make it anything else. */
function findDenial(error: ThrownError, options: ClassifyOptions, depth: number): GuestError | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const answer = error.hostCall === undefined ? undefined : options.hostError?.(error.hostCall);
  if (answer?.code === 'permission_denied') return answer;
  for (const inner of innerErrors(error)) {
    const found = findDenial(inner, options, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerErrors({ cause, errors = [] }: ThrownError): readonly ThrownError[] {
  return cause === undefined ? errors : [cause, ...errors];
}

const KIND_OF_CODE: Readonly<Record<string, ThrownKind>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  NOT_FOUND: 'not_found',
  NOTFOUND: 'not_found',
  '404': 'not_found',
  '410': 'not_found',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  PERMISSION_DENIED: 'permission',
  UNAUTHENTICATED: 'permission',
  UNAUTHORIZED: 'permission',
  FORBIDDEN: 'permission',
  '401': 'permission',
  '403': 'permission',
  ETIMEDOUT: 'timeout',
  ESOCKETTIMEDOUT: 'timeout',
  TIMEOUT: 'timeout',
  DEADLINE_EXCEEDED: 'timeout',
  ABORT_ERR: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  '408': 'timeout',
  '504': 'timeout',
  EINVAL: 'invalid_value',
  ERR_INVALID_URL: 'invalid_value',
  ERR_INVALID_ARG_TYPE: 'invalid_value',
  ERR_INVALID_ARG_VALUE: 'invalid_value',
  ERR_OUT_OF_RANGE: 'invalid_value',
  INVALID_ARGUMENT: 'invalid_value',
  '400': 'invalid_value',
  '422': 'invalid_value',
  ECONNREFUSED: 'network',
  ECONNRESET: 'network',
  ECONNABORTED: 'network',
  EHOSTUNREACH: 'network',
  ENETUNREACH: 'network',
  ENETDOWN: 'network',
  ENOTFOUND: 'network',
  EAI_AGAIN: 'network',
  EPIPE: 'network',
  UND_ERR_SOCKET: 'network',
  UNAVAILABLE: 'network',
  '502': 'network',
  '503': 'network',
};

const KIND_OF_NAME: readonly (readonly [RegExp, ThrownKind])[] = [
  [/^NotFound(?:Error)?$|FileNotFound|NoSuch/i, 'not_found'],
  [
    /^(?:NotAllowed|Security|Permission(?:Denied)?|Forbidden|Unauthorized|AccessDenied|Auth(?:entication|orization)?)(?:Error)?$/i,
    'permission',
  ],
  [/^(?:Timeout|Abort|DeadlineExceeded)(?:Error)?$/i, 'timeout'],
  [/^(?:Network|Fetch|Connection|Socket)(?:Error)?$/i, 'network'],
  [/^(?:Zod|Validation|InvalidArgument|Invalid\w*|Value|Argument|URI|Syntax)(?:Error)?$/i, 'invalid_value'],
];

const KIND_OF_WORDS: readonly (readonly [RegExp, ThrownKind])[] = [
  [
    /\b(?:HTTP|status(?: code)?)[ :/]*(?:404|410)\b|\b404 Not Found\b|\bnot found\b|\bno such\b|\bdoes(?: not|n't) exist\b/i,
    'not_found',
  ],
  [
    /\b(?:HTTP|status(?: code)?)[ :/]*(?:401|403)\b|\b(?:permission|access) denied\b|\bforbidden\b|\bunauthorized\b|\bnot permitted\b/i,
    'permission',
  ],
  [/\b(?:HTTP|status(?: code)?)[ :/]*(?:408|504)\b|\btimed?[ -]?out\b|\bdeadline exceeded\b/i, 'timeout'],
  [
    /\b(?:HTTP|status(?: code)?)[ :/]*(?:502|503)\b|\bfetch failed\b|\bfailed to fetch\b|\bsocket hang up\b|\bnetwork (?:error|request failed)\b|\bconnection (?:refused|reset|closed)\b|\bgetaddrinfo\b/i,
    'network',
  ],
  [
    /\binvalid\b|\bmust be\b|\bout of range\b|\bunexpected token\b|\bnot a valid\b|\bcan(?:not|'t) parse\b/i,
    'invalid_value',
  ],
];

/** Names that say nothing: every failed check of the language itself bears them. */
const PLAIN_NAMES = new Set([
  '',
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'EvalError',
  'AggregateError',
]);

function kindOf(error: ThrownError, depth: number): ThrownKind {
  const own = kindOfOne(error);
  if (own !== 'unknown' || depth > MAX_DEPTH) return own;
  const kinds = new Set(innerErrors(error).map((inner) => kindOf(inner, depth + 1)));
  // Several failures of one kind are of that kind; of several kinds, of none.
  const [only = 'unknown'] = kinds;
  return kinds.size === 1 ? only : 'unknown';
}

function kindOfOne({ name, message, code }: ThrownError): ThrownKind {
  const leading = /^\s*([A-Z][A-Z0-9_]{3,30})\b:/.exec(message)?.[1];
  for (const candidate of [code, leading]) {
    const kind = candidate === undefined ? undefined : lookUp(KIND_OF_CODE, candidate.toUpperCase());
    if (kind !== undefined) return kind;
  }
  if (!PLAIN_NAMES.has(name)) {
    const named = KIND_OF_NAME.find(([pattern]) => pattern.test(name));
    if (named !== undefined) return named[1];
  }
  // These two are what the language throws for a bug; their words are about code, not about the world.
  if (
    name === 'ReferenceError' ||
    (name === 'TypeError' && / is not (?:a function|iterable|defined)|^Cannot /.test(message))
  )
    return 'unknown';
  return KIND_OF_WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'unknown';
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** `Name: message (cause)`, on one line, redacted, at most {@link MAX_DETAIL_CHARS} characters. */
function describeThrown(error: ThrownError, known: string | undefined): string {
  return detailLine(wordsOf(error, 0), known);
}

function wordsOf(error: ThrownError, depth: number): string {
  const { name, message, errors = [], cause } = error;
  // A subclass's name carries meaning; `Error` doesn't, and alone the language's own don't either.
  const isPlain = name === 'Error' || (message === '' && PLAIN_NAMES.has(name));
  const own = name === '' || isPlain || message.startsWith(name) ? message : `${name}: ${message}`;
  if (depth >= 2) return own;
  const inner = [...errors.slice(0, 3), ...(cause === undefined ? [] : [cause])]
    .map((part) => wordsOf(part, depth + 1))
    .filter((words) => words !== '' && !(words.length > 3 && own.includes(words)));
  return [own.replace(/: $/, ''), ...(inner.length === 0 ? [] : [`(${inner.join('; ')})`])]
    .filter((part) => part !== '')
    .join(' ');
}

/** One line of a stranger's words, safe to put into a sentence of ours. */
export function detailLine(text: string, known?: string, limit = MAX_DETAIL_CHARS): string {
  const line = redactText(stripAnsi(text), known === undefined ? {} : { known })
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`;
}
