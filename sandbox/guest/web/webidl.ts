/** The parts of Web IDL's JavaScript binding that the interfaces here share. */

// biome-ignore lint/complexity/noBannedTypes: any constructor, however it is called
export type Interface = Function & { readonly prototype: object };

interface Exposure {
  /** Static operations that Web IDL makes enumerable. */
  readonly statics?: readonly string[];
  readonly constants?: Readonly<Record<string, number>>;
}

/** Prototypes of all interfaces that were exposed: what inherits from one is a platform object. */
export const interfacePrototypes = new Set<object>();

/** Gives a class the shape of an interface object: name, enumerable members, `Symbol.toStringTag`, constants. */
export function exposeInterface<I extends Interface>(
  name: string,
  constructor: I,
  exposure: Exposure = {},
): I {
  const prototype: object = constructor.prototype;
  interfacePrototypes.add(prototype);
  Object.defineProperty(constructor, 'name', { value: name, configurable: true });
  Object.defineProperty(constructor, 'prototype', { writable: false });
  for (const key of Object.getOwnPropertyNames(prototype)) {
    if (key !== 'constructor') Object.defineProperty(prototype, key, { enumerable: true });
  }
  for (const key of exposure.statics ?? []) Object.defineProperty(constructor, key, { enumerable: true });
  for (const [key, value] of Object.entries(exposure.constants ?? {})) {
    Object.defineProperty(constructor, key, { value, enumerable: true });
    Object.defineProperty(prototype, key, { value, enumerable: true });
  }
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
  return constructor;
}

/** `Symbol.iterator` of an iterable interface is the very function `entries` (or `values`), not enumerable. */
export function aliasIterator(
  constructor: Interface,
  method: string,
  symbol: symbol = Symbol.iterator,
): void {
  const value: unknown = Reflect.get(constructor.prototype, method);
  Object.defineProperty(constructor.prototype, symbol, { value, writable: true, configurable: true });
}

export function requireArguments(given: number, required: number, what: string): void {
  if (given < required) {
    throw new TypeError(
      `${what}: ${required} argument${required === 1 ? '' : 's'} required, but only ${given} present.`,
    );
  }
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function toDOMString(value: unknown): string {
  // A template literal throws for a Symbol where String() would not.
  return `${value as string}`;
}

export function toUSVString(value: unknown): string {
  return toDOMString(value).toWellFormed();
}

export function toByteString(value: unknown): string {
  const text = toDOMString(value);
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0xff) {
      throw new TypeError(
        `Cannot convert to ByteString: the character at index ${index} is greater than 255.`,
      );
    }
  }
  return text;
}

/** A dictionary argument: undefined and null are empty, anything but an object is a TypeError. */
export function toDictionary(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new TypeError(`${what} is not an object.`);
  // Any object can be read by key; the members are converted where they are used.
  return value as Readonly<Record<string, unknown>>;
}

const TWO_32 = 2 ** 32;

/** Web IDL `long`: wraps around like the bitwise operators. */
export function toLong(value: unknown): number {
  return Number(value) | 0;
}

export function toUnsignedShort(value: unknown): number {
  return (Number(value) >>> 0) & 0xffff;
}

/** Web IDL `long long` without extended attributes, good enough within the safe integers. */
export function toLongLong(value: unknown): number {
  const number = Number(value);
  if (!Number.isFinite(number)) return 0;
  return Math.trunc(number) + 0;
}

/** `[Clamp] long long`. */
export function toClampedLongLong(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number)) return 0;
  const clamped = Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  // Clamp rounds half to even.
  const floor = Math.floor(clamped);
  const rest = clamped - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** `[EnforceRange] unsigned long long`. */
export function toEnforcedUnsigned(value: unknown, what: string): number {
  const number = Number(value);
  const integer = Math.trunc(number);
  if (!Number.isFinite(number) || integer < 0 || integer > Number.MAX_SAFE_INTEGER) {
    throw new TypeError(`${what} is outside the range of an unsigned long long.`);
  }
  return integer + 0;
}

/** `unsigned long`. */
export function toUnsignedLong(value: unknown): number {
  const number = Number(value);
  if (!Number.isFinite(number)) return 0;
  return ((Math.trunc(number) % TWO_32) + TWO_32) % TWO_32;
}

/** The elements of a `sequence<any>` argument. */
export function toSequence(value: unknown, what: string): unknown[] {
  if (!isObject(value)) throw new TypeError(`${what} is not iterable.`);
  const method: unknown = Reflect.get(value, Symbol.iterator);
  if (typeof method !== 'function') throw new TypeError(`${what} is not iterable.`);
  const elements: unknown[] = [];
  for (const element of value as Iterable<unknown>) elements.push(element);
  return elements;
}

/** The entries of a `record<K, V>` argument, in the order and with the traps that Web IDL prescribes. */
export function toRecord(
  value: object,
  toKey: (key: unknown) => string,
  toValue: (value: unknown) => string,
): [string, string][] {
  const record = new Map<string, string>();
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    if (descriptor?.enumerable !== true) continue;
    const name = toKey(key);
    record.set(name, toValue(Reflect.get(value, key)));
  }
  return [...record];
}

export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return isObject(value) && byteLengthOf(value) !== undefined;
}

const byteLengthGetter = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get;

function byteLengthOf(value: object): number | undefined {
  try {
    return byteLengthGetter?.call(value);
  } catch {
    return undefined;
  }
}

/** The bytes that a BufferSource stands for, without a copy. */
export function viewBytes(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  return new Uint8Array(source);
}

export function isBufferSource(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || isArrayBuffer(value);
}

/** Makes the iterator object of a "pair iterable" interface (`URLSearchParams Iterator`, `Headers Iterator`...). */
export function pairIterators<T extends object>(
  name: string,
  pairAt: (target: T, index: number) => readonly [unknown, unknown] | undefined,
) {
  type Kind = 'key' | 'value' | 'entry';
  const iteratorPrototype: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  class PairIterator {
    readonly #target: T;
    readonly #kind: Kind;
    #index = 0;
    constructor(target: T, kind: Kind) {
      this.#target = target;
      this.#kind = kind;
    }
    next(): { value: unknown; done: boolean } {
      const pair = pairAt(this.#target, this.#index);
      if (pair === undefined) return { value: undefined, done: true };
      this.#index++;
      const value = this.#kind === 'key' ? pair[0] : this.#kind === 'value' ? pair[1] : [pair[0], pair[1]];
      return { value, done: false };
    }
  }
  const prototype: object = PairIterator.prototype;
  Object.setPrototypeOf(prototype, iteratorPrototype);
  Object.defineProperty(prototype, 'next', { enumerable: true });
  // There is no interface object for it to point at.
  Reflect.deleteProperty(prototype, 'constructor');
  Object.defineProperty(prototype, Symbol.toStringTag, { value: `${name} Iterator`, configurable: true });
  return (target: T, kind: Kind): IterableIterator<unknown> =>
    // It inherits Symbol.iterator from %IteratorPrototype%.
    new PairIterator(target, kind) as unknown as IterableIterator<unknown>;
}

const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

export function isUint8Array(value: unknown): value is Uint8Array {
  return typedArrayTag?.call(value) === 'Uint8Array';
}
