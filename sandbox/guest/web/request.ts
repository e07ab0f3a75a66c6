import { type AbortSignal, createSignal, dependentSignal, isAbortSignal } from './abort.ts';
import { type Body, extractBody } from './body.ts';
import { mixInBody } from './body-mixin.ts';
import {
  defaultHeader,
  fillHeaders,
  type Headers,
  headerList,
  headerValue,
  makeHeaders,
  setGuard,
} from './headers.ts';
import { isStream } from './load-streams.ts';
import { parseUrl, serializeUrl, type UrlRecord } from './url.ts';
import {
  exposeInterface,
  isObject,
  requireArguments,
  toByteString,
  toDictionary,
  toDOMString,
  toUSVString,
} from './webidl.ts';

interface RequestState {
  method: string;
  url: UrlRecord;
  readonly headers: Headers;
  body: Body | undefined;
  signal: AbortSignal;
  redirect: string;
  mode: string;
  credentials: string;
  cache: string;
  referrer: string;
  referrerPolicy: string;
  integrity: string;
  keepalive: boolean;
}

const ENUMS = {
  redirect: ['follow', 'error', 'manual'],
  mode: ['navigate', 'same-origin', 'no-cors', 'cors'],
  credentials: ['omit', 'same-origin', 'include'],
  cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
  referrerPolicy: [
    '',
    'no-referrer',
    'no-referrer-when-downgrade',
    'same-origin',
    'origin',
    'strict-origin',
    'origin-when-cross-origin',
    'strict-origin-when-cross-origin',
    'unsafe-url',
  ],
} as const;

const NORMALIZED_METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);
const NO_CORS_METHODS = new Set(['GET', 'HEAD', 'POST']);
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const raw = Symbol('raw');

/** Assigned inside the class, where its private fields are in scope. */
export let requestState: (request: Request) => RequestState;
export let isRequest: (value: unknown) => value is Request;

export class Request {
  readonly #state: RequestState;

  constructor(input: unknown, init: unknown = {}) {
    requireArguments(arguments.length, 1, 'Request constructor');
    // Only this module holds the symbol, and it passes a state with it.
    this.#state = input === raw ? (init as RequestState) : buildState(input, init);
  }

  get method(): string {
    return this.#state.method;
  }

  get url(): string {
    return serializeUrl(this.#state.url);
  }

  get headers(): Headers {
    return this.#state.headers;
  }

  get destination(): string {
    this.#state;
    return '';
  }

  get referrer(): string {
    return this.#state.referrer;
  }

  get referrerPolicy(): string {
    return this.#state.referrerPolicy;
  }

  get mode(): string {
    return this.#state.mode;
  }

  get credentials(): string {
    return this.#state.credentials;
  }

  get cache(): string {
    return this.#state.cache;
  }

  get redirect(): string {
    return this.#state.redirect;
  }

  get integrity(): string {
    return this.#state.integrity;
  }

  get keepalive(): boolean {
    return this.#state.keepalive;
  }

  get isReloadNavigation(): boolean {
    this.#state;
    return false;
  }

  get isHistoryNavigation(): boolean {
    this.#state;
    return false;
  }

  get signal(): AbortSignal {
    return this.#state.signal;
  }

  get duplex(): string {
    this.#state;
    return 'half';
  }

  clone(): Request {
    const state = this.#state;
    if (state.body?.unusable === true) throw new TypeError('Request.clone: the body has already been used.');
    const headers = makeHeaders(
      headerList(state.headers),
      state.mode === 'no-cors' ? 'request-no-cors' : 'none',
    );
    const body = state.body?.clone();
    return new Request(raw, { ...state, headers, body, signal: dependentSignal([state.signal]) });
  }

  static {
    requestState = (request) => request.#state;
    isRequest = (value): value is Request => isObject(value) && #state in value;
    mixInBody(Request, (value) => {
      if (!isRequest(value)) throw new TypeError('Illegal invocation');
      return { body: value.#state.body, contentType: headerValue(value.#state.headers, 'content-type') };
    });
  }
}

exposeInterface('Request', Request);

type Init = Readonly<Record<string, unknown>>;

function buildState(input: unknown, initValue: unknown): RequestState {
  const init = toDictionary(initValue, 'Request constructor: init');
  const from = isRequest(input) ? requestState(input) : undefined;
  const state = from === undefined ? initialState(toUSVString(input)) : copyState(from);
  if (init.window !== undefined && init.window !== null)
    throw new TypeError('Request: window can only be null.');
  applyReferrer(state, init);
  applyEnums(state, init);
  if (init.integrity !== undefined) state.integrity = toDOMString(init.integrity);
  if (init.keepalive !== undefined) state.keepalive = Boolean(init.keepalive);
  if (init.method !== undefined) state.method = normalizeMethod(toByteString(init.method));
  state.signal = signalFor(init.signal, from);
  if (state.mode === 'no-cors') {
    if (!NO_CORS_METHODS.has(state.method))
      throw new TypeError(`Request: '${state.method}' is unsupported in no-cors mode.`);
    setGuard(state.headers, 'request-no-cors');
  }
  if (init.headers !== undefined) fillHeaders(state.headers, init.headers);
  else if (from !== undefined) fillHeaders(state.headers, headerList(from.headers));
  applyBody(state, init, from);
  return state;
}

function initialState(input: string): RequestState {
  const url = parseUrl(input);
  if (url === null) throw new TypeError(`Failed to parse URL from ${input}`);
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
  }
  return {
    method: 'GET',
    url,
    headers: makeHeaders([], 'none'),
    body: undefined,
    signal: createSignal(),
    redirect: 'follow',
    mode: 'cors',
    credentials: 'same-origin',
    cache: 'default',
    referrer: 'about:client',
    referrerPolicy: '',
    integrity: '',
    keepalive: false,
  };
}

function copyState(from: RequestState): RequestState {
  return { ...from, headers: makeHeaders([], 'none'), body: undefined };
}

function applyReferrer(state: RequestState, init: Init): void {
  if (init.referrer === undefined) return;
  const referrer = toUSVString(init.referrer);
  if (referrer === '') state.referrer = '';
  else {
    const url = parseUrl(referrer);
    if (url === null) throw new TypeError(`Request: "${referrer}" is not a valid referrer.`);
    state.referrer = 'about:client';
  }
}

function applyEnums(state: RequestState, init: Init): void {
  for (const member of ['referrerPolicy', 'mode', 'credentials', 'cache', 'redirect'] as const) {
    if (init[member] === undefined) continue;
    const value = toDOMString(init[member]);
    if (!ENUMS[member].some((allowed) => allowed === value)) {
      throw new TypeError(`Request: '${value}' is not a valid value of ${member}.`);
    }
    if (value === 'navigate') throw new TypeError("Request: mode can't be 'navigate'.");
    state[member] = value;
  }
  if (state.cache === 'only-if-cached' && state.mode !== 'same-origin') {
    throw new TypeError("Request: cache 'only-if-cached' needs mode 'same-origin'.");
  }
}

function normalizeMethod(method: string): string {
  const upper = method.toUpperCase();
  if (!METHOD.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
  if (FORBIDDEN_METHODS.has(upper)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
  return NORMALIZED_METHODS.has(upper) ? upper : method;
}

function signalFor(given: unknown, from: RequestState | undefined): AbortSignal {
  if (given === null) return createSignal();
  if (given === undefined) return from === undefined ? createSignal() : dependentSignal([from.signal]);
  if (!isAbortSignal(given)) throw new TypeError('Request: signal is not of type AbortSignal.');
  return dependentSignal([given]);
}

function applyBody(state: RequestState, init: Init, from: RequestState | undefined): void {
  const given = init.body !== undefined && init.body !== null;
  if ((given || from?.body !== undefined) && (state.method === 'GET' || state.method === 'HEAD')) {
    throw new TypeError('Request with GET/HEAD method cannot have body.');
  }
  if (given) {
    if (isStream(init.body) && init.duplex === undefined) {
      throw new TypeError('RequestInit: duplex option is required when sending a body.');
    }
    if (init.duplex !== undefined && toDOMString(init.duplex) !== 'half') {
      throw new TypeError("RequestInit: duplex can only be 'half'.");
    }
    const { body, type } = extractBody(init.body);
    state.body = body;
    if (type !== undefined) defaultHeader(state.headers, 'Content-Type', type);
  } else if (from?.body !== undefined && init.body === undefined) {
    if (from.body.unusable)
      throw new TypeError('Request: the body of the other request has already been used.');
    state.body = from.body.take();
  } else if (from?.body !== undefined) state.body = undefined;
}
