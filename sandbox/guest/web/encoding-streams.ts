import { utf8fromStringLoose } from '@exodus/bytes/utf8.js';
import { TextDecoder } from './encoding.ts';
import { TransformStream } from './streams.ts';
import { exposeInterface, isBufferSource, toDOMString } from './webidl.ts';

export class TextDecoderStream {
  readonly #decoder: TextDecoder;
  readonly #transform: TransformStream<unknown, string>;

  constructor(label: unknown = 'utf-8', options: unknown = {}) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    this.#transform = new TransformStream<unknown, string>({
      transform(chunk, controller) {
        if (!isBufferSource(chunk)) throw new TypeError('The chunk is not an ArrayBuffer or a view of one.');
        const text = decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== '') controller.enqueue(text);
      },
    });
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    return this.#decoder.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }

  get readable(): unknown {
    return this.#transform.readable;
  }

  get writable(): unknown {
    return this.#transform.writable;
  }
}

exposeInterface('TextDecoderStream', TextDecoderStream);

export class TextEncoderStream {
  readonly #transform: TransformStream<unknown, Uint8Array>;

  constructor() {
    // A high surrogate at the end of a chunk waits for the next one.
    let lead = '';
    this.#transform = new TransformStream<unknown, Uint8Array>({
      transform(chunk, controller) {
        let text = lead + toDOMString(chunk);
        lead = '';
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last <= 0xdbff) {
          lead = text.slice(-1);
          text = text.slice(0, -1);
        }
        if (text !== '') controller.enqueue(utf8fromStringLoose(text));
      },
      flush(controller) {
        if (lead !== '') controller.enqueue(Uint8Array.of(0xef, 0xbf, 0xbd));
      },
    });
  }

  get encoding(): string {
    this.#transform;
    return 'utf-8';
  }

  get readable(): unknown {
    return this.#transform.readable;
  }

  get writable(): unknown {
    return this.#transform.writable;
  }
}

exposeInterface('TextEncoderStream', TextEncoderStream);
