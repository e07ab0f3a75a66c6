/**
 * The engine's built-ins as they were before plugin code ran. Plugin code may replace any of them later; the bridge
 * must neither call the replacements nor show them its functions and values.
 */
export const apply = Reflect.apply;
export const ownKeys = Reflect.ownKeys;
export const keys = Object.keys;
export const toStringTag: symbol = Symbol.toStringTag;
export const defineProperty = Object.defineProperty;
export const getPrototypeOf = Object.getPrototypeOf;
export const create = Object.create;
export const isArray = Array.isArray;
export const parse = JSON.parse;
export const stringify = JSON.stringify;
export const toText = String;
export const NativePromise = Promise;
export const NativeError = Error;
export const NativeTypeError = TypeError;
export const NativeRangeError = RangeError;
export const NativeMap = Map;
export const NativeSet = Set;
export const NativeArrayBuffer = ArrayBuffer;
export const NativeUint8Array = Uint8Array;
export const isView = ArrayBuffer.isView;

const { slice, toWellFormed } = String.prototype;
const { get: mapSize } = Object.getOwnPropertyDescriptor(Map.prototype, 'size') as { get: () => number }; // always an accessor
const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;
const weakGet = WeakMap.prototype.get;
const weakSet = WeakMap.prototype.set;

export const cut = (text: string, length: number): string => apply(slice, text, [0, length]);
export const wellFormed = (text: string): string => apply(toWellFormed, text, []);
export const sizeOf = (map: Map<unknown, unknown>): number => apply(mapSize, map, []);
export const eachOfMap = (map: Map<unknown, unknown>, visit: (value: unknown, key: unknown) => void): void =>
  apply(mapForEach, map, [visit]);
export const eachOfSet = (set: Set<unknown>, visit: (value: unknown) => void): void =>
  apply(setForEach, set, [visit]);

/** A WeakMap whose methods plugin code can't replace. */
export interface PrivateMap<Value> {
  get(key: object): Value | undefined;
  set(key: object, value: Value): void;
}

export function privateMap<Value>(): PrivateMap<Value> {
  const map = new WeakMap<object, Value>();
  return {
    get: (key) => apply(weakGet, map, [key]) as Value | undefined, // the map's own type
    set: (key, value) => void apply(weakSet, map, [key, value]),
  };
}

/** Sets an own data property without asking a setter on the prototype chain. */
export function setOwn(target: object, key: PropertyKey, value: unknown): void {
  // A literal with null prototype: a polluted Object.prototype must not lend `get` or `set` to a descriptor.
  defineProperty(target, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}
