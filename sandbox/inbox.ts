import { read, readSync } from 'node:fs';
import { type Frame, FrameReader, MAX_FRAME_BYTES } from './protocol.ts';

const CHUNK_BYTES = 65_536;
/** Reads after which the event loop gets a turn in any case: V8 and isolated-vm leave it things to tidy up. */
const READS_A_TURN = 64;

/** What may happen in this process before the next frame: nothing, what the event loop has to do now, or a timer. */
export type Pending = 'nothing' | 'work' | 'timer';

export interface InboxOptions {
  /** A blocking pipe. */
  readonly fd: number;
  readonly onFrame: (frame: Frame) => void;
  /** The pipe has ended, or is broken. */
  readonly onEnd: () => void;
  readonly pending: () => Pending;
}

/**
 * Frames from the host. While nothing else can happen this process blocks in the read itself: a poll, a read that it
 * announces and the stream on top of it took a fifth of a whole warm call. While a timer runs, a thread waits instead.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #reader = new FrameReader(MAX_FRAME_BYTES);
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  open(): void {
    this.#next();
  }

  #next = (): void => {
    const { fd, pending } = this.#options;
    if (pending() === 'timer') {
      read(fd, this.#chunk, 0, CHUNK_BYTES, null, (error, bytes) => {
        this.#take(error ? 0 : bytes);
        setImmediate(this.#next);
      });
      return;
    }
    let reads = 0;
    do {
      this.#take(this.#readNow());
      reads += 1;
    } while (reads < READS_A_TURN && pending() === 'nothing');
    setImmediate(this.#next);
  };

  /** 0 at the end, which may come in the middle of a frame. */
  #readNow(): number {
    try {
      return readSync(this.#options.fd, this.#chunk, 0, CHUNK_BYTES, null);
    } catch {
      return 0;
    }
  }

  #take(bytes: number): void {
    const { onFrame, onEnd } = this.#options;
    if (bytes === 0) return onEnd();
    this.#reader.push(this.#chunk.subarray(0, bytes), onFrame);
    // What is kept of a frame lies in the chunk.
    if (this.#reader.isInsideFrame) this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }
}
