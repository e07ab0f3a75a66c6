/** Calls that take longer are not queued behind or before others in a worker's pipe, milliseconds. */
export const LONG_MS = 10;
const MOST_KEPT = 10_000;

/** Processor time of a plugin's last calls, the newest first, milliseconds. */
type Recent = readonly [number, number?, number?];

/** How long the calls of each plugin hold up a worker, whose process does one thing at a time. */
export class Paces {
  readonly #recent = new Map<string, Recent>();

  record(name: string, cpuMs: number): void {
    const before = this.#recent.get(name);
    this.#recent.set(name, before === undefined ? [cpuMs] : [cpuMs, before[0], before[1]]);
    if (this.#recent.size <= MOST_KEPT) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  isKnown(name: string): boolean {
    return this.#recent.has(name);
  }

  /** Known to be short. One long call among three says nothing: a collection may have fallen into it. */
  isShort(name: string): boolean {
    const recent = this.#recent.get(name);
    if (recent === undefined) return false;
    const long = recent.filter((ms) => ms !== undefined && ms > LONG_MS).length;
    return long === 0 || (long === 1 && recent[2] !== undefined);
  }
}
