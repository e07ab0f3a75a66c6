/** Streams from web-streams-polyfill, which is written after the standard's reference implementation. */
import {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
} from 'web-streams-polyfill';
import { setStreamBrand } from './load-streams.ts';
import { type Interface, interfacePrototypes, isObject } from './webidl.ts';

const interfaces: Readonly<Record<string, Interface>> = {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
};

// Minifying takes the names of classes away.
for (const [name, constructor] of Object.entries(interfaces)) {
  Object.defineProperty(constructor, 'name', { value: name, configurable: true });
  interfacePrototypes.add(constructor.prototype);
}

export {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
};

setStreamBrand((value) => isObject(value) && value instanceof ReadableStream);

/** A byte stream over bytes that are already there. */
export function byteStream(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream<Uint8Array>({
    type: 'bytes',
    pull(controller) {
      if (offset < bytes.length) {
        controller.enqueue(bytes.slice(offset, offset + chunkBytes));
        offset += chunkBytes;
      }
      if (offset >= bytes.length) {
        controller.close();
        // A pending BYOB request has to be answered for the close to reach its reader.
        controller.byobRequest?.respond(0);
      }
    },
  });
}

/** Streams keep this flag for the standard's "disturbed"; there is no public way to ask for it. */
export function isDisturbed(stream: ReadableStream<unknown>): boolean {
  return Reflect.get(stream, '_disturbed') === true;
}
