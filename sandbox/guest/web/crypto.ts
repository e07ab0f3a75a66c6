import { DOMException } from './dom-exception.ts';
import { bridge } from './guest-bridge.ts';
import {
  exposeInterface,
  isBufferSource,
  isObject,
  requireArguments,
  toDOMString,
  viewBytes,
} from './webidl.ts';

const key = Symbol('make');
/** Web Crypto's limit for one `getRandomValues`. */
const MAX_RANDOM_BYTES = 65_536;

type Hash = (message: Uint8Array) => Uint8Array;

function hashFor(name: string): Hash | undefined {
  // What noble-hashes exports, loaded at the first digest.
  switch (name.toUpperCase()) {
    case 'SHA-1':
      return (require('@noble/hashes/legacy.js') as { sha1: Hash }).sha1;
    case 'SHA-256':
      return (require('@noble/hashes/sha2.js') as { sha256: Hash }).sha256;
    case 'SHA-384':
      return (require('@noble/hashes/sha2.js') as { sha384: Hash }).sha384;
    case 'SHA-512':
      return (require('@noble/hashes/sha2.js') as { sha512: Hash }).sha512;
    default:
      return undefined;
  }
}

export class SubtleCrypto {
  readonly #brand: unknown;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    this.#brand = secret;
  }

  async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    this.#brand;
    requireArguments(arguments.length, 2, 'SubtleCrypto.digest');
    const name = toDOMString(isObject(algorithm) ? requiredName(algorithm) : algorithm);
    if (!isBufferSource(data)) throw new TypeError('SubtleCrypto.digest: parameter 2 is not a BufferSource.');
    const message = viewBytes(data).slice();
    const hash = hashFor(name);
    if (hash === undefined) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    return hash(message).slice().buffer as ArrayBuffer;
  }
}

exposeInterface('SubtleCrypto', SubtleCrypto);

/** There are no keys here, but code asks whether a value is one. */
export class CryptoKey {
  readonly #brand: never;

  constructor() {
    this.#brand = refuseConstruction();
  }

  get algorithm(): object {
    return this.#brand;
  }

  get extractable(): boolean {
    return this.#brand;
  }

  get type(): string {
    return this.#brand;
  }

  get usages(): object {
    return this.#brand;
  }
}

exposeInterface('CryptoKey', CryptoKey);

function refuseConstruction(): never {
  throw new TypeError('Illegal constructor');
}

function requiredName(algorithm: object): unknown {
  const name: unknown = Reflect.get(algorithm, 'name');
  if (name === undefined) throw new TypeError('SubtleCrypto.digest: the algorithm has no name.');
  return name;
}

const INTEGER_ARRAYS = new Set<unknown>([
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
]);
const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

export class Crypto {
  readonly #subtle: SubtleCrypto;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    this.#subtle = new SubtleCrypto(key);
  }

  get subtle(): SubtleCrypto {
    return this.#subtle;
  }

  getRandomValues(array: unknown): unknown {
    this.#subtle;
    requireArguments(arguments.length, 1, 'Crypto.getRandomValues');
    if (!ArrayBuffer.isView(array))
      throw new TypeError('Crypto.getRandomValues: parameter 1 is not an ArrayBufferView.');
    if (!INTEGER_ARRAYS.has(typedArrayTag?.call(array))) {
      throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    }
    if (array.byteLength > MAX_RANDOM_BYTES) {
      throw new DOMException(
        `The requested length of ${array.byteLength} bytes exceeds ${MAX_RANDOM_BYTES}`,
        'QuotaExceededError',
      );
    }
    viewBytes(array).set(bridge().randomBytes(array.byteLength));
    return array;
  }

  randomUUID(): string {
    this.#subtle;
    const bytes = bridge().randomBytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    let text = '';
    for (const [index, byte] of bytes.entries()) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
      text += byte.toString(16).padStart(2, '0');
    }
    return text;
  }
}

exposeInterface('Crypto', Crypto);

export const crypto = new Crypto(key);
