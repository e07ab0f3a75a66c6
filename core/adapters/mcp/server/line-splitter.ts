export type Line = { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'too_long' };

const LINE_FEED = 10;
/** A piece of one byte weighs a hundred and more: so many become one. */
const MOST_PIECES = 1_024;

/** Cuts bytes into lines at `\n` and at nothing else, and holds never more than the longest line. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  /** At the end, pieces that were not put together yet. */
  #loose = 0;
  #bytes = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      this.#keep(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) return;
      yield this.#take();
      start = end + 1;
    }
  }

  /** What stands behind the last `\n`, if there is anything and it can be read. */
  end(): Buffer | undefined {
    const line = this.#take();
    return line.kind === 'line' && line.bytes.length > 0 ? line.bytes : undefined;
  }

  #keep(piece: Buffer): void {
    if (this.#bytes + piece.length > this.#maxBytes) {
      this.#isTooLong = true;
      this.#pieces = [];
    }
    this.#bytes += piece.length;
    if (this.#isTooLong || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#loose += 1;
    if (this.#loose < MOST_PIECES) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-MOST_PIECES)));
    this.#loose = 0;
  }

  #take(): Line {
    const line: Line = this.#isTooLong
      ? { kind: 'too_long' }
      : { kind: 'line', bytes: Buffer.concat(this.#pieces) };
    this.#pieces = [];
    this.#loose = 0;
    this.#bytes = 0;
    this.#isTooLong = false;
    return line;
  }
}
