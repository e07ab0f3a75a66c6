/** Calls that take longer are not queued behind or before others in a worker's pipe, milliseconds. */
export const LONG_MS = 10;
const MOST_KEPT = 10_000;

/** The last calls of a plugin as bits, the newest last, 1 for a long one; a bit in front of them tells how many there are. */
const NOTHING = 0b1;
const THREE_CALLS = 0b1000;
const LAST_THREE = 0b111;
/** One long call among three says nothing: a collection may have fallen into it. */
const SHORT: ReadonlySet<number> = new Set([0b10, 0b100, 0b1000, 0b1001, 0b1010, 0b1100]);

/** How long the calls of each plugin hold up a worker, whose process does one thing at a time. */
export class Paces {
  readonly #recent = new Map<string, number>();

  record(name: string, cpuMs: number): void {
    const before = this.#recent.get(name);
    const bits = ((before ?? NOTHING) << 1) | (cpuMs > LONG_MS ? 1 : 0);
    const now = bits > THREE_CALLS + LAST_THREE ? THREE_CALLS | (bits & LAST_THREE) : bits;
    if (now === before) return;
    this.#recent.delete(name);
    this.#recent.set(name, now);
    if (this.#recent.size <= MOST_KEPT) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  isKnown(name: string): boolean {
    return this.#recent.has(name);
  }

  /** Known to be short. */
  isShort(name: string): boolean {
    return SHORT.has(this.#recent.get(name) ?? NOTHING);
  }
}
