import type { UrlRecord } from 'whatwg-url/lib/url-state-machine.js';
import machine from 'whatwg-url/lib/url-state-machine.js';
import { createSearchParams, setSearchList, type URLSearchParams } from './url-search-params.ts';
import { exposeInterface, requireArguments, toUSVString } from './webidl.ts';

/** Assigned inside the class, where its private fields are in scope. */
export let isURL: (value: unknown) => value is URL;

const made = Symbol('made');

export class URL {
  #record: UrlRecord;
  #params: URLSearchParams | undefined;

  constructor(url: unknown, base: unknown = undefined) {
    if (url === made) {
      // Only this module holds the symbol, and it passes a record with it.
      this.#record = base as UrlRecord;
      return;
    }
    requireArguments(arguments.length, 1, 'URL constructor');
    const input = toUSVString(url);
    const baseInput = base === undefined ? undefined : toUSVString(base);
    const record = parse(input, baseInput);
    if (record === null) throw invalidUrl(input, baseInput);
    this.#record = record;
  }

  static parse(url: unknown, base: unknown = undefined): URL | null {
    requireArguments(arguments.length, 1, 'URL.parse');
    const record = parse(toUSVString(url), base === undefined ? undefined : toUSVString(base));
    return record === null ? null : new URL(made, record);
  }

  static canParse(url: unknown, base: unknown = undefined): boolean {
    requireArguments(arguments.length, 1, 'URL.canParse');
    return parse(toUSVString(url), base === undefined ? undefined : toUSVString(base)) !== null;
  }

  get href(): string {
    return machine.serializeURL(this.#record);
  }

  set href(value: unknown) {
    const input = toUSVString(value);
    const record = machine.basicURLParse(input);
    if (record === null) throw invalidUrl(input, undefined);
    this.#record = record;
    this.#refreshParams();
  }

  get origin(): string {
    return machine.serializeURLOrigin(this.#record);
  }

  get protocol(): string {
    return `${this.#record.scheme}:`;
  }

  set protocol(value: unknown) {
    this.#override(`${toUSVString(value)}:`, 'scheme start');
  }

  get username(): string {
    return this.#record.username;
  }

  set username(value: unknown) {
    const input = toUSVString(value);
    if (!machine.cannotHaveAUsernamePasswordPort(this.#record)) machine.setTheUsername(this.#record, input);
  }

  get password(): string {
    return this.#record.password;
  }

  set password(value: unknown) {
    const input = toUSVString(value);
    if (!machine.cannotHaveAUsernamePasswordPort(this.#record)) machine.setThePassword(this.#record, input);
  }

  get host(): string {
    const { host, port } = this.#record;
    if (host === null) return '';
    return port === null ? machine.serializeHost(host) : `${machine.serializeHost(host)}:${port}`;
  }

  set host(value: unknown) {
    const input = toUSVString(value);
    if (!machine.hasAnOpaquePath(this.#record)) this.#override(input, 'host');
  }

  get hostname(): string {
    const { host } = this.#record;
    return host === null ? '' : machine.serializeHost(host);
  }

  set hostname(value: unknown) {
    const input = toUSVString(value);
    if (!machine.hasAnOpaquePath(this.#record)) this.#override(input, 'hostname');
  }

  get port(): string {
    const { port } = this.#record;
    return port === null ? '' : `${port}`;
  }

  set port(value: unknown) {
    const input = toUSVString(value);
    if (machine.cannotHaveAUsernamePasswordPort(this.#record)) return;
    if (input === '') this.#record.port = null;
    else this.#override(input, 'port');
  }

  get pathname(): string {
    return machine.serializePath(this.#record);
  }

  set pathname(value: unknown) {
    const input = toUSVString(value);
    if (machine.hasAnOpaquePath(this.#record)) return;
    this.#record.path = [];
    this.#override(input, 'path start');
  }

  get search(): string {
    const { query } = this.#record;
    return query === null || query === '' ? '' : `?${query}`;
  }

  set search(value: unknown) {
    const input = toUSVString(value);
    if (input === '') {
      this.#record.query = null;
    } else {
      this.#record.query = '';
      this.#override(input[0] === '?' ? input.slice(1) : input, 'query');
    }
    this.#refreshParams();
  }

  get searchParams(): URLSearchParams {
    this.#params ??= createSearchParams(this.#record.query ?? '', (query) => {
      this.#record.query = query === '' ? null : query;
    });
    return this.#params;
  }

  get hash(): string {
    const { fragment } = this.#record;
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }

  set hash(value: unknown) {
    const input = toUSVString(value);
    if (input === '') {
      this.#record.fragment = null;
      return;
    }
    this.#record.fragment = '';
    this.#override(input[0] === '#' ? input.slice(1) : input, 'fragment');
  }

  toJSON(): string {
    return this.href;
  }

  toString(): string {
    return this.href;
  }

  #override(input: string, stateOverride: string): void {
    machine.basicURLParse(input, { url: this.#record, stateOverride });
  }

  #refreshParams(): void {
    if (this.#params !== undefined) setSearchList(this.#params, this.#record.query ?? '');
  }

  static {
    isURL = (value): value is URL => typeof value === 'object' && value !== null && #record in value;
  }
}

exposeInterface('URL', URL, { statics: ['parse', 'canParse'] });

export function parseUrl(input: string): UrlRecord | null {
  return machine.basicURLParse(input);
}

export function serializeUrl(record: UrlRecord): string {
  return machine.serializeURL(record);
}

export type { UrlRecord };

function parse(url: string, base: string | undefined): UrlRecord | null {
  if (base === undefined) return machine.basicURLParse(url);
  const baseURL = machine.basicURLParse(base);
  return baseURL === null ? null : machine.basicURLParse(url, { baseURL });
}

function invalidUrl(input: string, base: string | undefined): TypeError {
  const error = new TypeError('Invalid URL');
  const detail: Record<string, string> = { code: 'ERR_INVALID_URL', input };
  if (base !== undefined) detail.base = base;
  return Object.assign(error, detail);
}
