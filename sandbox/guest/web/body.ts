/** The body of a request or response: made into a stream only when someone asks for one. */
import { type Blob, blobBytes, isBlob, rawBlob } from './blob.ts';
import { type FormData, isFormData } from './form-data.ts';
import { isStream, loadStreams } from './load-streams.ts';
import type { ReadableStream } from './streams.ts';
import { isURLSearchParams } from './url-search-params.ts';
import { concatBytes, encodeUtf8 } from './utf8.ts';
import { isBufferSource, isUint8Array, toUSVString, viewBytes } from './webidl.ts';

/** Bytes that come piece by piece from elsewhere (the host's answer to a fetch). */
export interface ByteSource {
  /** The next piece; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  cancel(reason: unknown): Promise<void>;
  /** Called with a function that breaks the body off, e.g. on abort. */
  onBreak?(breakOff: (reason: unknown) => void): void;
}

const STREAM_CHUNK_BYTES = 65_536;

export class Body {
  #bytes: Uint8Array | undefined;
  #source: ByteSource | undefined;
  #stream: ReadableStream<unknown> | undefined;
  /** Read to its end (or begun to be) without a stream. */
  #consumed = false;

  private constructor(parts: { bytes?: Uint8Array; source?: ByteSource; stream?: ReadableStream<unknown> }) {
    this.#bytes = parts.bytes;
    this.#source = parts.source;
    this.#stream = parts.stream;
  }

  static ofBytes(bytes: Uint8Array): Body {
    return new Body({ bytes });
  }

  static ofSource(source: ByteSource): Body {
    return new Body({ source });
  }

  static ofStream(stream: ReadableStream<unknown>): Body {
    return new Body({ stream });
  }

  /** The `body` attribute. */
  get stream(): ReadableStream<unknown> {
    this.#stream ??= this.#makeStream();
    return this.#stream;
  }

  get used(): boolean {
    return this.#consumed || (this.#stream !== undefined && loadStreams().isDisturbed(this.#stream));
  }

  get unusable(): boolean {
    return this.used || this.#stream?.locked === true;
  }

  /** Bytes that are at hand, so that a request needn't be read piece by piece. */
  get known(): Uint8Array | undefined {
    return this.#stream === undefined ? this.#bytes : undefined;
  }

  /** Reads all of it, once. `limit` in bytes. */
  async consume(limit = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    if (this.unusable) throw new TypeError('Body is unusable: it has already been read or is locked.');
    if (this.#stream !== undefined) return readStream(this.#stream, limit);
    this.#consumed = true;
    if (this.#bytes !== undefined) return this.#bytes;
    const pieces: Uint8Array[] = [];
    for (;;) {
      const piece = await this.#source?.read();
      if (piece === undefined) return concatBytes(pieces);
      pieces.push(piece);
    }
  }

  /** "Clone a body". */
  clone(): Body {
    if (this.#stream === undefined && this.#bytes !== undefined) return Body.ofBytes(this.#bytes);
    const [mine, copy] = this.stream.tee();
    this.#stream = mine;
    return Body.ofStream(copy);
  }

  /** Moves it into another object; this one is used from now on. */
  take(): Body {
    const taken = new Body({});
    taken.#bytes = this.#bytes;
    taken.#source = this.#source;
    taken.#stream = this.#stream;
    if (this.#stream !== undefined) {
      // What it hands over is a new stream; the old one is locked and disturbed.
      taken.#stream = this.#stream.pipeThrough(new (loadStreams().TransformStream)<unknown, unknown>());
    } else this.#consumed = true;
    return taken;
  }

  #makeStream(): ReadableStream<unknown> {
    const streams = loadStreams();
    if (this.#consumed) {
      const empty = new streams.ReadableStream({ start: (controller) => controller.close() });
      // Whoever read it holds the lock for good.
      void empty.getReader().read();
      return empty;
    }
    if (this.#bytes !== undefined) return streams.byteStream(this.#bytes, STREAM_CHUNK_BYTES);
    const source = this.#source;
    return new streams.ReadableStream<Uint8Array>(
      {
        type: 'bytes',
        start(controller) {
          source?.onBreak?.((reason) => controller.error(reason));
        },
        async pull(controller) {
          const piece = await source?.read();
          if (piece === undefined) {
            controller.close();
            controller.byobRequest?.respond(0);
          } else controller.enqueue(piece);
        },
        cancel: (reason) => source?.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }
}

async function readStream(stream: ReadableStream<unknown>, limit: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(pieces);
    if (!isUint8Array(value)) {
      const error = new TypeError('A body stream may only hold chunks of type Uint8Array.');
      void reader.cancel(error).catch(() => undefined);
      throw error;
    }
    total += value.length;
    if (total > limit) {
      const error = new TypeError(`The request body is larger than ${limit} bytes.`);
      void reader.cancel(error).catch(() => undefined);
      throw error;
    }
    pieces.push(value);
  }
}

/** "Extract a body": what it holds and the `Content-Type` that goes with it. */
export function extractBody(init: unknown): { readonly body: Body; readonly type: string | undefined } {
  if (isStream(init)) {
    if (init.locked || loadStreams().isDisturbed(init)) {
      throw new TypeError('The body stream has already been read or is locked.');
    }
    return { body: Body.ofStream(init), type: undefined };
  }
  if (isBlob(init))
    return { body: Body.ofBytes(blobBytes(init)), type: init.type === '' ? undefined : init.type };
  if (isBufferSource(init)) return { body: Body.ofBytes(viewBytes(init).slice()), type: undefined };
  if (isFormData(init)) {
    const { bytes, boundary } = loadMultipart().encodeMultipart(init);
    return { body: Body.ofBytes(bytes), type: `multipart/form-data; boundary=${boundary}` };
  }
  if (isURLSearchParams(init)) {
    return {
      body: Body.ofBytes(encodeUtf8(init.toString())),
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
    };
  }
  return { body: Body.ofBytes(encodeUtf8(toUSVString(init))), type: 'text/plain;charset=UTF-8' };
}

export function loadMultipart(): typeof import('./multipart.ts') {
  return require('./multipart.ts') as typeof import('./multipart.ts'); // esbuild resolves it to that module
}

export function bodyBlob(bytes: Uint8Array, type: string): Blob {
  return rawBlob(bytes, type.toLowerCase());
}

export type { FormData };
