export type Slot = { readonly release: () => void } | 'busy' | 'aborted';

/** How many calls one server gets at the same time, and how many may wait. */
export class CallSlots {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  async take(
    limits: { readonly concurrency: number; readonly queue: number },
    signal: AbortSignal,
  ): Promise<Slot> {
    if (signal.aborted) return 'aborted';
    if (this.#running >= limits.concurrency) {
      if (this.#waiting.size >= limits.queue) return 'busy';
      if (!(await this.#turn(signal))) return 'aborted';
    } else this.#running += 1;
    return { release: () => this.#release() };
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(start);
        resolve(false);
      };
      this.#waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    // The slot goes over as it is: between free and taken somebody else could take it.
    this.#waiting.delete(next);
    next();
  }
}
