import { serializables } from './clone-record.ts';
import { loadStreams } from './load-streams.ts';
import type { ReadableStream } from './streams.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from './utf8.ts';
import {
  exposeInterface,
  isBufferSource,
  isObject,
  requireArguments,
  toClampedLongLong,
  toDictionary,
  toDOMString,
  toLongLong,
  toSequence,
  toUSVString,
  viewBytes,
} from './webidl.ts';

const raw = Symbol('raw');
/** Bytes that a blob's stream hands out at a time. */
const STREAM_CHUNK_BYTES = 65_536;

/** Assigned inside the class, where its private fields are in scope. */
export let isBlob: (value: unknown) => value is Blob;
/** The bytes themselves, not a copy: nobody may write to them. */
export let blobBytes: (blob: Blob) => Uint8Array;

export class Blob {
  readonly #bytes: Uint8Array;
  readonly #type: string;

  constructor(blobParts: unknown = undefined, options: unknown = {}) {
    if (blobParts === raw) {
      // Only this module holds the symbol.
      const { bytes, type } = options as { bytes: Uint8Array; type: string };
      this.#bytes = bytes;
      this.#type = type;
      return;
    }
    const parts =
      blobParts === undefined ? [] : toSequence(blobParts, 'Blob constructor: parameter 1').map(toPart);
    const dictionary = toDictionary(options, 'Blob constructor: options');
    const endings = dictionary.endings === undefined ? 'transparent' : toDOMString(dictionary.endings);
    if (endings !== 'transparent' && endings !== 'native') {
      throw new TypeError(`Blob constructor: '${endings}' is no value of EndingType.`);
    }
    this.#type = dictionary.type === undefined ? '' : normalizeType(toDOMString(dictionary.type));
    this.#bytes = joinParts(parts, endings === 'native');
  }

  get size(): number {
    return this.#bytes.length;
  }

  get type(): string {
    return this.#type;
  }

  slice(start: unknown = 0, end: unknown = undefined, contentType: unknown = ''): Blob {
    const size = this.#bytes.length;
    const resolve = (value: number): number =>
      value < 0 ? Math.max(size + value, 0) : Math.min(value, size);
    const from = resolve(toClampedLongLong(start));
    const to = end === undefined ? size : resolve(toClampedLongLong(end));
    return rawBlob(this.#bytes.subarray(from, Math.max(from, to)), normalizeType(toDOMString(contentType)));
  }

  stream(): ReadableStream<Uint8Array> {
    const bytes = this.#bytes;
    return loadStreams().byteStream(bytes, STREAM_CHUNK_BYTES);
  }

  async text(): Promise<string> {
    return decodeUtf8(this.#bytes);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer as ArrayBuffer;
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes.slice();
  }

  static {
    isBlob = (value): value is Blob => isObject(value) && #bytes in value;
    blobBytes = (blob) => blob.#bytes;
  }
}

exposeInterface('Blob', Blob);
Object.defineProperty(Blob, 'length', { value: 0, configurable: true });

export function rawBlob(bytes: Uint8Array, type: string): Blob {
  return new Blob(raw, { bytes, type });
}

export class File extends Blob {
  readonly #name: string;
  readonly #lastModified: number;

  constructor(fileBits: unknown, fileName: unknown, options: unknown = {}) {
    requireArguments(arguments.length, 2, 'File constructor');
    if (fileBits === raw) {
      super(raw, options);
      const { lastModified } = options as { lastModified: number }; // only this module holds the symbol
      this.#name = String(fileName);
      this.#lastModified = lastModified;
      return;
    }
    // A sequence is required here, where Blob's is optional.
    super(toSequence(fileBits, 'File constructor: parameter 1'), options);
    this.#name = toUSVString(fileName);
    const { lastModified } = toDictionary(options, 'File constructor: options');
    this.#lastModified = lastModified === undefined ? Date.now() : toLongLong(lastModified);
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  static isFile(value: unknown): value is File {
    return isObject(value) && #name in value;
  }
}

/** Brand check, taken off the class so that plugin code doesn't see it. */
export const isFile: (value: unknown) => value is File = File.isFile;
Reflect.deleteProperty(File, 'isFile');
exposeInterface('File', File);
Object.defineProperty(File, 'length', { value: 2, configurable: true });

export function rawFile(blob: Blob, name: string, lastModified: number): File {
  return new File(raw, name, { bytes: blobBytes(blob), type: blob.type, lastModified });
}

function toPart(part: unknown): Uint8Array | string {
  if (isBlob(part)) return blobBytes(part);
  if (isBufferSource(part)) return viewBytes(part).slice();
  return toUSVString(part);
}

function joinParts(parts: readonly (Uint8Array | string)[], nativeEndings: boolean): Uint8Array {
  return concatBytes(
    parts.map((part) => {
      if (typeof part !== 'string') return part;
      return encodeUtf8(nativeEndings ? part.replace(/\r\n?/g, '\n') : part);
    }),
  );
}

function normalizeType(type: string): string {
  return /^[\x20-\x7e]*$/.test(type) ? type.toLowerCase() : '';
}

serializables.push({
  matches: isBlob,
  copy: (value) => {
    if (isFile(value)) return rawFile(value, value.name, value.lastModified);
    const blob = value as Blob; // matched
    return rawBlob(blobBytes(blob), blob.type);
  },
});
