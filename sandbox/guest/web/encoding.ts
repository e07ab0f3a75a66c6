import { TextDecoder as Decoder } from '@exodus/bytes/encoding.js';
import { utf8fromStringLoose } from '@exodus/bytes/utf8.js';
import {
  exposeInterface,
  isBufferSource,
  isUint8Array,
  requireArguments,
  toDictionary,
  toDOMString,
  viewBytes,
} from './webidl.ts';

/** What is used of the library's decoder. */
interface StreamingDecoder {
  readonly encoding: string;
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
}

interface DecoderOptions {
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
}

/** Makes the decoder itself, or throws the RangeError that the standard asks for. */
function makeDecoder(
  label: unknown,
  options: unknown,
): { decoder: StreamingDecoder; options: DecoderOptions } {
  const name = toDOMString(label);
  const dictionary = toDictionary(options, 'TextDecoder constructor: options');
  const converted = { fatal: Boolean(dictionary.fatal), ignoreBOM: Boolean(dictionary.ignoreBOM) };
  try {
    return { decoder: new Decoder(name, converted), options: converted };
  } catch {
    throw new RangeError(`TextDecoder constructor: the encoding label "${name.slice(0, 100)}" is unknown.`);
  }
}

export class TextDecoder {
  readonly #decoder: StreamingDecoder;
  readonly #options: DecoderOptions;

  constructor(label: unknown = 'utf-8', options: unknown = {}) {
    const made = makeDecoder(label, options);
    this.#decoder = made.decoder;
    this.#options = made.options;
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    return this.#options.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#options.ignoreBOM;
  }

  decode(input: unknown = undefined, options: unknown = {}): string {
    const decoder = this.#decoder;
    if (input !== undefined && !isBufferSource(input)) {
      throw new TypeError('TextDecoder.decode: parameter 1 is not an ArrayBuffer or a view of one.');
    }
    const stream = Boolean(toDictionary(options, 'TextDecoder.decode: options').stream);
    const bytes = input === undefined ? new Uint8Array() : readableBytes(input);
    return decoder.decode(bytes, { stream });
  }
}

exposeInterface('TextDecoder', TextDecoder);

/** A detached buffer reads as no bytes. */
function readableBytes(input: ArrayBuffer | ArrayBufferView): Uint8Array {
  const buffer = ArrayBuffer.isView(input) ? input.buffer : input;
  return (buffer as ArrayBuffer).detached === true ? new Uint8Array() : viewBytes(input);
}

export class TextEncoder {
  // The class has no state, but a brand all the same.
  readonly #encoding = 'utf-8';

  get encoding(): string {
    return this.#encoding;
  }

  encode(input: unknown = ''): Uint8Array {
    this.#encoding;
    return utf8fromStringLoose(toDOMString(input));
  }

  encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
    this.#encoding;
    requireArguments(arguments.length, 2, 'TextEncoder.encodeInto');
    const text = toDOMString(source);
    if (!isUint8Array(destination)) {
      throw new TypeError('TextEncoder.encodeInto: parameter 2 is not of type Uint8Array.');
    }
    return encodeInto(text, destination);
  }
}

exposeInterface('TextEncoder', TextEncoder);

function encodeInto(text: string, destination: Uint8Array): { read: number; written: number } {
  let read = 0;
  let written = 0;
  while (read < text.length) {
    const unit = text.charCodeAt(read);
    let codePoint = text.codePointAt(read) ?? 0xfffd;
    const units = codePoint > 0xffff ? 2 : 1;
    if (units === 1 && unit >= 0xd800 && unit <= 0xdfff) codePoint = 0xfffd;
    const needed = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    if (written + needed > destination.length) break;
    if (needed === 1) {
      destination[written] = codePoint;
    } else {
      const lead = needed === 2 ? 0xc0 : needed === 3 ? 0xe0 : 0xf0;
      destination[written] = lead | (codePoint >> (6 * (needed - 1)));
      for (let index = 1; index < needed; index++) {
        destination[written + index] = 0x80 | ((codePoint >> (6 * (needed - 1 - index))) & 0x3f);
      }
    }
    written += needed;
    read += units;
  }
  return { read, written };
}
