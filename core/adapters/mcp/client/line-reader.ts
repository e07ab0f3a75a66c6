const NEWLINE = 0x0a;
/** Of a line that is too long, this much is kept of either end. */
const KEPT_BYTES = 512;
/** A piece of one byte weighs two hundred: so many become one. */
const MOST_PIECES = 1_024;

export interface LineReaderOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** A line was longer and is gone: its first and its last bytes. */
  readonly onTooLong: (head: string, tail: string) => void;
}

/** Cuts bytes into lines and never holds more than `maxBytes` of one. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  /** At the end of the parts, pieces that were not put together yet. */
  #pieces = 0;
  #length = 0;
  #head: Buffer | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    // A copy: a few bytes must not keep the whole chunk alive.
    this.#parts.push(Buffer.from(part));
    this.#length += part.length;
    this.#pieces += 1;
    if (this.#pieces === MOST_PIECES) {
      this.#parts.push(Buffer.concat(this.#parts.splice(-MOST_PIECES)));
      this.#pieces = 0;
    }
    if (this.#length <= this.#options.maxBytes && this.#head === undefined) return;
    const all = Buffer.concat(this.#parts);
    this.#head ??= all.subarray(0, KEPT_BYTES);
    this.#parts = [Buffer.from(all.subarray(-KEPT_BYTES))];
    this.#pieces = 0;
    this.#length = this.#parts[0]?.length ?? 0;
  }

  #finish(): void {
    const head = this.#head;
    const rest = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#pieces = 0;
    this.#length = 0;
    this.#head = undefined;
    if (head !== undefined) this.#options.onTooLong(head.toString('latin1'), rest.toString('latin1'));
    else this.#options.onLine(rest.toString('utf8'));
  }
}
