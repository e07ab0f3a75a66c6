import { read, readSync } from 'node:fs';
import { type Frame, FrameReader } from './protocol.ts';

const CHUNK_BYTES = 65_536;

export interface InboxOptions {
  /** A blocking pipe. */
  readonly fd: number;
  readonly onFrame: (frame: Frame) => void;
  /** The pipe has ended, or is broken. */
  readonly onEnd: () => void;
  /** May something other than a frame happen, a timer say? */
  readonly mayWake: () => boolean;
}

/**
 * Frames from the host. While nothing else can happen this process blocks in the read itself: a poll, a read that it
 * announces and the stream on top of it took a fifth of a whole warm call. While a timer runs, a thread waits instead.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #reader = new FrameReader();
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  open(): void {
    this.#next();
  }

  #next = (): void => {
    const { fd, mayWake } = this.#options;
    if (mayWake())
      return read(fd, this.#chunk, 0, CHUNK_BYTES, null, (error, bytes) => this.#take(error ? 0 : bytes));
    let bytes = 0;
    try {
      bytes = readSync(fd, this.#chunk, 0, CHUNK_BYTES, null);
    } catch {
      // The host is gone in the middle of a frame.
    }
    this.#take(bytes);
  };

  #take(bytes: number): void {
    const { onFrame, onEnd } = this.#options;
    if (bytes === 0) return onEnd();
    this.#reader.push(this.#chunk.subarray(0, bytes), onFrame);
    // What is kept of a frame lies in the chunk.
    if (this.#reader.isInsideFrame) this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    // A turn of the event loop each time: timers, and what V8 and isolated-vm have to tidy up, get theirs.
    setImmediate(this.#next);
  }
}
