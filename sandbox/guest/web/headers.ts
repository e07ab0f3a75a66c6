import {
  aliasIterator,
  exposeInterface,
  isObject,
  pairIterators,
  requireArguments,
  toByteString,
  toRecord,
  toSequence,
} from './webidl.ts';

/**
 * Which changes an object allows. The forbidden request headers of browsers are not held back here: what may leave is
 * for the host's policy to say.
 */
export type HeadersGuard = 'none' | 'immutable' | 'request-no-cors';

interface Header {
  readonly name: string;
  readonly lower: string;
  readonly value: string;
}

interface HeadersState {
  list: Header[];
  guard: HeadersGuard;
  /** Sorted and combined, as iteration shows it; dropped on every change. */
  combined: [string, string][] | undefined;
}

/** Assigned inside the class, where its private fields are in scope. */
let stateOf: (headers: Headers) => HeadersState;
export let isHeaders: (value: unknown) => value is Headers;

export class Headers {
  readonly #state: HeadersState = { list: [], guard: 'none', combined: undefined };

  constructor(init: unknown = undefined) {
    if (init !== undefined) fillHeaders(this, init);
  }

  append(name: unknown, value: unknown): void {
    const state = this.#state;
    requireArguments(arguments.length, 2, 'Headers.append');
    appendHeader(state, toByteString(name), toByteString(value));
  }

  delete(name: unknown): void {
    const state = this.#state;
    requireArguments(arguments.length, 1, 'Headers.delete');
    const header = checkName(toByteString(name), 'Headers.delete');
    checkMutable(state);
    const lower = header.toLowerCase();
    if (state.guard === 'request-no-cors' && !NO_CORS_NAMES.has(lower) && lower !== 'range') return;
    state.list = state.list.filter((entry) => entry.lower !== lower);
    state.combined = undefined;
  }

  get(name: unknown): string | null {
    const state = this.#state;
    requireArguments(arguments.length, 1, 'Headers.get');
    return getHeader(state, checkName(toByteString(name), 'Headers.get'));
  }

  getSetCookie(): string[] {
    return this.#state.list.filter((entry) => entry.lower === 'set-cookie').map((entry) => entry.value);
  }

  has(name: unknown): boolean {
    const state = this.#state;
    requireArguments(arguments.length, 1, 'Headers.has');
    const lower = checkName(toByteString(name), 'Headers.has').toLowerCase();
    return state.list.some((entry) => entry.lower === lower);
  }

  set(name: unknown, value: unknown): void {
    const state = this.#state;
    requireArguments(arguments.length, 2, 'Headers.set');
    const header = checkName(toByteString(name), 'Headers.set');
    const text = checkValue(toByteString(value), 'Headers.set');
    checkMutable(state);
    if (state.guard === 'request-no-cors' && !isNoCorsSafe(header, text)) return;
    setHeader(state, header, text);
  }

  entries(): IterableIterator<unknown> {
    return iterate(check(this), 'entry');
  }

  forEach(callback: unknown, thisArgument: unknown = undefined): void {
    check(this);
    requireArguments(arguments.length, 1, 'Headers.forEach');
    if (typeof callback !== 'function')
      throw new TypeError('Headers.forEach: parameter 1 is not a function.');
    for (let index = 0; ; index++) {
      const pair = combined(this.#state)[index];
      if (pair === undefined) return;
      Reflect.apply(callback, thisArgument, [pair[1], pair[0], this]);
    }
  }

  keys(): IterableIterator<unknown> {
    return iterate(check(this), 'key');
  }

  values(): IterableIterator<unknown> {
    return iterate(check(this), 'value');
  }

  static {
    stateOf = (headers) => headers.#state;
    isHeaders = (value): value is Headers => isObject(value) && #state in value;
  }
}

exposeInterface('Headers', Headers);
aliasIterator(Headers, 'entries');

const iterate = pairIterators<Headers>('Headers', (headers, index) => combined(stateOf(headers))[index]);

function check(value: Headers): Headers {
  if (!isHeaders(value)) throw new TypeError('Illegal invocation');
  return value;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const INVALID_IN_VALUE = /[\0\n\r]/;

function checkName(name: string, what: string): string {
  if (!TOKEN.test(name)) throw new TypeError(`${what}: "${name}" is an invalid header name.`);
  return name;
}

function checkValue(value: string, what: string): string {
  const normalized = value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (INVALID_IN_VALUE.test(normalized))
    throw new TypeError(`${what}: "${normalized}" is an invalid header value.`);
  return normalized;
}

function checkMutable(state: HeadersState): void {
  if (state.guard === 'immutable') throw new TypeError('Headers are immutable.');
}

function appendHeader(state: HeadersState, name: string, value: string): void {
  const header = checkName(name, 'Headers.append');
  const text = checkValue(value, 'Headers.append');
  checkMutable(state);
  if (state.guard === 'request-no-cors') {
    const before = getHeader(state, header);
    if (!isNoCorsSafe(header, before === null ? text : `${before}, ${text}`)) return;
  }
  state.list.push({ name: header, lower: header.toLowerCase(), value: text });
  state.combined = undefined;
}

function setHeader(state: HeadersState, name: string, value: string): void {
  const lower = name.toLowerCase();
  const first = state.list.findIndex((entry) => entry.lower === lower);
  if (first < 0) state.list.push({ name, lower, value });
  else {
    // The name keeps the case that it first came in.
    state.list[first] = { name: state.list[first]?.name ?? name, lower, value };
    state.list = state.list.filter((entry, index) => index <= first || entry.lower !== lower);
  }
  state.combined = undefined;
}

function getHeader(state: HeadersState, name: string): string | null {
  const lower = name.toLowerCase();
  const values = state.list.filter((entry) => entry.lower === lower).map((entry) => entry.value);
  return values.length === 0 ? null : values.join(', ');
}

/** "Sort and combine". */
function combined(state: HeadersState): [string, string][] {
  if (state.combined !== undefined) return state.combined;
  const names = [...new Set(state.list.map((entry) => entry.lower))].sort();
  const pairs: [string, string][] = [];
  for (const name of names) {
    if (name === 'set-cookie') {
      for (const entry of state.list) if (entry.lower === name) pairs.push([name, entry.value]);
    } else pairs.push([name, getHeader(state, name) ?? '']);
  }
  state.combined = pairs;
  return pairs;
}

const NO_CORS_NAMES = new Set(['accept', 'accept-language', 'content-language', 'content-type']);
const NO_CORS_TYPES = new Set(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the standard's CORS-unsafe request-header bytes
const CORS_UNSAFE = /[\x00-\x08\x10-\x1f"():<>?@[\\\]{}\x7f]/;
const MAX_SAFE_VALUE = 128;

/** "No-CORS-safelisted request-header". */
function isNoCorsSafe(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (!NO_CORS_NAMES.has(lower) || value.length > MAX_SAFE_VALUE) return false;
  if (lower === 'accept') return !CORS_UNSAFE.test(value);
  if (lower !== 'content-type') return /^[0-9A-Za-z *,\-.;=]*$/.test(value);
  const essence = (value.split(';')[0] ?? '').trim().toLowerCase();
  return !CORS_UNSAFE.test(value) && NO_CORS_TYPES.has(essence);
}

/** "Fill": from a sequence of pairs or a record. */
export function fillHeaders(headers: Headers, init: unknown): void {
  if (!isObject(init)) throw new TypeError('Headers: the init value is neither a sequence nor a record.');
  const state = stateOf(headers);
  const iterator: unknown = Reflect.get(init, Symbol.iterator);
  if (iterator === undefined || iterator === null) {
    for (const [name, value] of toRecord(init, toByteString, toByteString)) appendHeader(state, name, value);
    return;
  }
  const pairs = toSequence(init, 'Headers: the init value').map((element) =>
    toSequence(element, 'Headers: an element of the init value').map(toByteString),
  );
  for (const pair of pairs) {
    const [name, value] = pair;
    if (pair.length !== 2 || name === undefined || value === undefined) {
      throw new TypeError('Headers: an element of the init value is not a pair of name and value.');
    }
    appendHeader(state, name, value);
  }
}

export function makeHeaders(list: readonly (readonly [string, string])[], guard: HeadersGuard): Headers {
  const headers = new Headers();
  const state = stateOf(headers);
  for (const [name, value] of list) state.list.push({ name, lower: name.toLowerCase(), value });
  state.guard = guard;
  return headers;
}

export function setGuard(headers: Headers, guard: HeadersGuard): void {
  stateOf(headers).guard = guard;
}

/** Name and value pairs as they were written, for the wire. */
export function headerList(headers: Headers): [string, string][] {
  return stateOf(headers).list.map((entry) => [entry.name, entry.value]);
}

/** Adds a header unless there is one, past any guard: the `Content-Type` of a body. */
export function defaultHeader(headers: Headers, name: string, value: string): void {
  const state = stateOf(headers);
  if (getHeader(state, name) === null) setHeader(state, name, value);
}

export function headerValue(headers: Headers, name: string): string | null {
  return getHeader(stateOf(headers), name);
}
