import urlencoded from 'whatwg-url/lib/urlencoded.js';
import {
  aliasIterator,
  exposeInterface,
  isObject,
  pairIterators,
  requireArguments,
  toRecord,
  toSequence,
  toUSVString,
} from './webidl.ts';

type Pair = [string, string];

/** Assigned inside the class, where its private fields are in scope. */
let listOf: (params: URLSearchParams) => Pair[];
let adopt: (params: URLSearchParams, list: Pair[], update?: (query: string) => void) => void;
export let isURLSearchParams: (value: unknown) => value is URLSearchParams;

export class URLSearchParams {
  #list: Pair[] = [];
  /** Writes the query back into the URL that this object belongs to. */
  #update: ((query: string) => void) | undefined;

  constructor(init: unknown = '') {
    this.#list = listFrom(init);
  }

  get size(): number {
    return this.#list.length;
  }

  append(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, 'URLSearchParams.append');
    this.#list.push([toUSVString(name), toUSVString(value)]);
    this.#changed();
  }

  delete(name: unknown, value: unknown = undefined): void {
    requireArguments(arguments.length, 1, 'URLSearchParams.delete');
    const matches = matcher(name, value);
    replace(
      this.#list,
      this.#list.filter((pair) => !matches(pair)),
    );
    this.#changed();
  }

  get(name: unknown): string | null {
    requireArguments(arguments.length, 1, 'URLSearchParams.get');
    return this.#list.find(matcher(name))?.[1] ?? null;
  }

  getAll(name: unknown): string[] {
    requireArguments(arguments.length, 1, 'URLSearchParams.getAll');
    return this.#list.filter(matcher(name)).map((pair) => pair[1]);
  }

  has(name: unknown, value: unknown = undefined): boolean {
    requireArguments(arguments.length, 1, 'URLSearchParams.has');
    return this.#list.some(matcher(name, value));
  }

  set(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, 'URLSearchParams.set');
    const matches = matcher(name);
    const replacement: Pair = [toUSVString(name), toUSVString(value)];
    const first = this.#list.findIndex(matches);
    if (first < 0) {
      this.#list.push(replacement);
    } else {
      replace(
        this.#list,
        this.#list.filter((pair, index) => index <= first || !matches(pair)),
      );
      this.#list[first] = replacement;
    }
    this.#changed();
  }

  sort(): void {
    // By UTF-16 code units, which is what < compares.
    this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }

  entries(): IterableIterator<unknown> {
    return iterate(check(this), 'entry');
  }

  forEach(callback: unknown, thisArgument: unknown = undefined): void {
    check(this);
    requireArguments(arguments.length, 1, 'URLSearchParams.forEach');
    if (typeof callback !== 'function')
      throw new TypeError('URLSearchParams.forEach: parameter 1 is not a function.');
    for (let index = 0; index < this.#list.length; index++) {
      const pair = this.#list[index];
      if (pair !== undefined) Reflect.apply(callback, thisArgument, [pair[1], pair[0], this]);
    }
  }

  keys(): IterableIterator<unknown> {
    return iterate(check(this), 'key');
  }

  values(): IterableIterator<unknown> {
    return iterate(check(this), 'value');
  }

  toString(): string {
    return urlencoded.serializeUrlencoded(this.#list);
  }

  #changed(): void {
    this.#update?.(urlencoded.serializeUrlencoded(this.#list));
  }

  static {
    listOf = (params) => params.#list;
    adopt = (params, list, update) => {
      replace(params.#list, list);
      if (update !== undefined) params.#update = update;
    };
    isURLSearchParams = (value): value is URLSearchParams => isObject(value) && #list in value;
  }
}

exposeInterface('URLSearchParams', URLSearchParams);
aliasIterator(URLSearchParams, 'entries');

const iterate = pairIterators<URLSearchParams>('URLSearchParams', (params, index) => listOf(params)[index]);

function check(value: URLSearchParams): URLSearchParams {
  if (!isURLSearchParams(value)) throw new TypeError('Illegal invocation');
  return value;
}

function matcher(name: unknown, value?: unknown): (pair: Pair) => boolean {
  const wanted = toUSVString(name);
  if (value === undefined) return (pair) => pair[0] === wanted;
  const wantedValue = toUSVString(value);
  return (pair) => pair[0] === wanted && pair[1] === wantedValue;
}

/** In place: iterators that are under way look at this very array. */
function replace(list: Pair[], pairs: readonly Pair[]): void {
  list.length = 0;
  for (const pair of pairs) list.push(pair);
}

function listFrom(init: unknown): Pair[] {
  if (!isObject(init)) {
    const text = toUSVString(init);
    return urlencoded.parseUrlencodedString(text[0] === '?' ? text.slice(1) : text);
  }
  const iterator: unknown = Reflect.get(init, Symbol.iterator);
  if (iterator === undefined || iterator === null) return toRecord(init, toUSVString, toUSVString);
  return toSequence(init, 'URLSearchParams constructor: parameter 1').map((element) => {
    const pair = toSequence(element, 'URLSearchParams constructor: an element of parameter 1').map(
      toUSVString,
    );
    const [name, value] = pair;
    if (pair.length !== 2 || name === undefined || value === undefined) {
      throw new TypeError(
        'URLSearchParams constructor: an element of parameter 1 is not a pair of name and value.',
      );
    }
    return [name, value];
  });
}

/** The `searchParams` of a URL: `update` hears of every change. */
export function createSearchParams(query: string, update: (query: string) => void): URLSearchParams {
  const params = new URLSearchParams();
  adopt(params, urlencoded.parseUrlencodedString(query), update);
  return params;
}

export function setSearchList(params: URLSearchParams, query: string): void {
  adopt(params, urlencoded.parseUrlencodedString(query));
}
