/** Calls that take longer are not queued behind or before others in a worker's pipe, milliseconds. */
export const LONG_MS = 10;
const MOST_KEPT = 10_000;

/** The last calls of a plugin as bits, the newest last, 1 for a long one; a bit in front of them tells how many there are. */
const NOTHING = 0b1;
const CALLS = 8;
const ALL_CALLS = 1 << CALLS;
/** With so many calls known, one long one among them says nothing: a collection may have fallen into it. */
const ENOUGH_CALLS = 3;

/** How long the calls of each plugin hold up a worker, whose process does one thing at a time. */
export class Paces {
  readonly #recent = new Map<string, number>();

  record(name: string, cpuMs: number): void {
    const before = this.#recent.get(name);
    const bits = ((before ?? NOTHING) << 1) | (cpuMs > LONG_MS ? 1 : 0);
    const now = bits >= ALL_CALLS * 2 ? ALL_CALLS | (bits & (ALL_CALLS - 1)) : bits;
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
    const bits = this.#recent.get(name);
    if (bits === undefined) return false;
    const mayHoldOne = bits >= 1 << ENOUGH_CALLS;
    return longCallsIn(bits) <= (mayHoldOne ? 1 : 0);
  }
}

/** Bits that are set, but for the first one. */
function longCallsIn(bits: number): number {
  let count = -1;
  for (let left = bits; left > 0; left >>= 1) count += left & 1;
  return count;
}
