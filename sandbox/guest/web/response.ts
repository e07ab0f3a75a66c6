import { Body, extractBody } from './body.ts';
import { mixInBody } from './body-mixin.ts';
import { defaultHeader, fillHeaders, type Headers, headerList, headerValue, makeHeaders } from './headers.ts';
import { parseUrl, serializeUrl } from './url.ts';
import { encodeUtf8 } from './utf8.ts';
import {
  exposeInterface,
  isObject,
  requireArguments,
  toByteString,
  toDictionary,
  toUnsignedShort,
  toUSVString,
} from './webidl.ts';

export interface ResponseState {
  readonly type: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Body | undefined;
}

const NULL_BODY_STATUS = new Set([101, 103, 204, 205, 304]);
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;
const raw = Symbol('raw');

/** Assigned inside the class, where its private fields are in scope. */
export let isResponse: (value: unknown) => value is Response;

export class Response {
  readonly #state: ResponseState;

  constructor(body: unknown = null, init: unknown = {}) {
    if (body === raw) {
      // Only this module holds the symbol, and it passes a state with it.
      this.#state = init as ResponseState;
      return;
    }
    const options = toDictionary(init, 'Response constructor: init');
    const extracted = body === null || body === undefined ? undefined : extractBody(body);
    this.#state = buildState(options, extracted);
  }

  static error(): Response {
    return makeResponse({
      type: 'error',
      url: '',
      redirected: false,
      status: 0,
      statusText: '',
      headers: makeHeaders([], 'immutable'),
      body: undefined,
    });
  }

  static redirect(url: unknown, status: unknown = 302): Response {
    requireArguments(arguments.length, 1, 'Response.redirect');
    const input = toUSVString(url);
    const code = toUnsignedShort(status);
    const record = parseUrl(input);
    if (record === null) throw new TypeError(`Failed to parse URL from ${input}`);
    if (!REDIRECT_STATUS.has(code)) throw new RangeError(`Response.redirect: invalid status code ${code}.`);
    const headers = makeHeaders([['Location', serializeUrl(record)]], 'immutable');
    return makeResponse({ ...DEFAULTS, status: code, headers, body: undefined });
  }

  static json(data: unknown, init: unknown = {}): Response {
    requireArguments(arguments.length, 1, 'Response.json');
    const text: string | undefined = JSON.stringify(data);
    if (text === undefined) throw new TypeError('Response.json: the value is not JSON serializable.');
    const body = { body: Body.ofBytes(encodeUtf8(text)), type: 'application/json' };
    return makeResponse(buildState(toDictionary(init, 'Response.json: init'), body));
  }

  get type(): string {
    return this.#state.type;
  }

  get url(): string {
    return this.#state.url;
  }

  get redirected(): boolean {
    return this.#state.redirected;
  }

  get status(): number {
    return this.#state.status;
  }

  get ok(): boolean {
    return this.#state.status >= 200 && this.#state.status <= 299;
  }

  get statusText(): string {
    return this.#state.statusText;
  }

  get headers(): Headers {
    return this.#state.headers;
  }

  clone(): Response {
    const state = this.#state;
    if (state.body?.unusable === true) throw new TypeError('Response.clone: the body has already been used.');
    const headers = makeHeaders(headerList(state.headers), state.type === 'default' ? 'none' : 'immutable');
    return makeResponse({ ...state, headers, body: state.body?.clone() });
  }

  static {
    isResponse = (value): value is Response => isObject(value) && #state in value;
    mixInBody(Response, (value) => {
      if (!isResponse(value)) throw new TypeError('Illegal invocation');
      return { body: value.#state.body, contentType: headerValue(value.#state.headers, 'content-type') };
    });
  }
}

exposeInterface('Response', Response, { statics: ['error', 'redirect', 'json'] });
Object.defineProperty(Response, 'length', { value: 0, configurable: true });

const DEFAULTS = { type: 'default', url: '', redirected: false, status: 200, statusText: '' } as const;

export function makeResponse(state: ResponseState): Response {
  return new Response(raw, state);
}

function buildState(
  init: Readonly<Record<string, unknown>>,
  extracted: { readonly body: Body; readonly type: string | undefined } | undefined,
): ResponseState {
  const status = init.status === undefined ? DEFAULTS.status : toUnsignedShort(init.status);
  if (status < 200 || status > 599) {
    throw new RangeError(`Response: status ${status} is outside the range [200, 599].`);
  }
  const statusText = init.statusText === undefined ? '' : toByteString(init.statusText);
  if (!REASON_PHRASE.test(statusText)) throw new TypeError('Response: invalid statusText.');
  const headers = makeHeaders([], 'none');
  if (init.headers !== undefined) fillHeaders(headers, init.headers);
  if (extracted !== undefined) {
    if (NULL_BODY_STATUS.has(status)) throw new TypeError(`Response: status ${status} cannot have a body.`);
    if (extracted.type !== undefined) defaultHeader(headers, 'Content-Type', extracted.type);
  }
  return { ...DEFAULTS, status, statusText, headers, body: extracted?.body };
}
