/** Lets a bounded number of jobs run at the same time; the rest wait in order. */
export class Limiter {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run<Value>(job: () => Promise<Value>): Promise<Value> {
    if (this.#running < this.#most) this.#running += 1;
    // The place of one that ends is handed over, so that nobody slips in between.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
