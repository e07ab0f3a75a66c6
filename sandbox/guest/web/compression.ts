import { Deflate, Gunzip, Gzip, Inflate, Unzlib, Zlib } from 'fflate';
import { TransformStream } from './streams.ts';
import { exposeInterface, isBufferSource, requireArguments, toDOMString, viewBytes } from './webidl.ts';

/** What all of the library's streaming coders have in common. */
interface Coder {
  ondata?: ((chunk: Uint8Array<ArrayBuffer>, final: boolean) => void) | undefined;
  push(chunk: Uint8Array<ArrayBuffer>, final?: boolean): void;
}

type Format = 'deflate' | 'deflate-raw' | 'gzip';

function toFormat(value: unknown, what: string): Format {
  const format = toDOMString(value);
  if (format === 'deflate' || format === 'deflate-raw' || format === 'gzip') return format;
  throw new TypeError(`${what}: '${format}' is no value of CompressionFormat.`);
}

function codingStream(coder: Coder, decoding: boolean): TransformStream<unknown, Uint8Array> {
  let ended = false;
  const run = (
    chunk: Uint8Array<ArrayBuffer>,
    final: boolean,
    enqueue: (chunk: Uint8Array) => void,
  ): void => {
    coder.ondata = (output, last) => {
      ended ||= last;
      if (output.length > 0) enqueue(output.slice());
    };
    try {
      coder.push(chunk, final);
    } catch (error) {
      throw new TypeError(
        `The data could not be decoded: ${error instanceof Error ? error.message : 'invalid data'}`,
      );
    }
  };
  return new TransformStream<unknown, Uint8Array>({
    transform(chunk, controller) {
      if (!isBufferSource(chunk)) throw new TypeError('The chunk is not an ArrayBuffer or a view of one.');
      if (viewBytes(chunk).length > 0)
        run(viewBytes(chunk).slice(), false, (output) => controller.enqueue(output));
    },
    flush(controller) {
      run(new Uint8Array(), true, (output) => controller.enqueue(output));
      if (decoding && !ended) throw new TypeError('The compressed data ended too early.');
    },
  });
}

export class CompressionStream {
  readonly #transform: TransformStream<unknown, Uint8Array>;

  constructor(format: unknown) {
    requireArguments(arguments.length, 1, 'CompressionStream constructor');
    const kind = toFormat(format, 'CompressionStream constructor');
    const coder: Coder = kind === 'gzip' ? new Gzip() : kind === 'deflate' ? new Zlib() : new Deflate();
    this.#transform = codingStream(coder, false);
  }

  get readable(): unknown {
    return this.#transform.readable;
  }

  get writable(): unknown {
    return this.#transform.writable;
  }
}

exposeInterface('CompressionStream', CompressionStream);

export class DecompressionStream {
  readonly #transform: TransformStream<unknown, Uint8Array>;

  constructor(format: unknown) {
    requireArguments(arguments.length, 1, 'DecompressionStream constructor');
    const kind = toFormat(format, 'DecompressionStream constructor');
    const coder: Coder = kind === 'gzip' ? new Gunzip() : kind === 'deflate' ? new Unzlib() : new Inflate();
    this.#transform = codingStream(coder, true);
  }

  get readable(): unknown {
    return this.#transform.readable;
  }

  get writable(): unknown {
    return this.#transform.writable;
  }
}

exposeInterface('DecompressionStream', DecompressionStream);
