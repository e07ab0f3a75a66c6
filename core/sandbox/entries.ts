interface Entry {
  readonly sequence: number;
  readonly run: number;
  /** Does it begin the run's code? */
  readonly starts: boolean;
  /** When it became the one that runs, as far as the host can tell. */
  since: number;
  /** Processor time of the worker then, once somebody asked. */
  cpuAtStart: number | undefined;
}

/**
 * Frames that make guest code run, in the order in which the worker takes them. A worker works off one at a time and
 * says which it has left, so the first one here is what runs now.
 */
export class Entries {
  #sequence = 0;
  #sent: Entry[] = [];
  #timer: Entry | undefined;

  add(run: number, starts: boolean): number {
    this.#sequence += 1;
    this.#sent.push({
      sequence: this.#sequence,
      run,
      starts,
      since: performance.now(),
      cpuAtStart: undefined,
    });
    return this.#sequence;
  }

  timerBegan(run: number): void {
    this.#timer = { sequence: 0, run, starts: false, since: performance.now(), cpuAtStart: undefined };
  }

  /** The worker has left the entry with this number; 0 is a timer's. */
  left(sequence: number): void {
    if (sequence === 0) this.#timer = undefined;
    else while (this.#sent[0] !== undefined && this.#sent[0].sequence <= sequence) this.#sent.shift();
    const next = this.#sent[0];
    if (next !== undefined) {
      next.since = performance.now();
      next.cpuAtStart = undefined;
    }
  }

  get current(): Entry | undefined {
    return this.#timer ?? this.#sent[0];
  }

  get depth(): number {
    return this.#sent.length + (this.#timer === undefined ? 0 : 1);
  }

  /** Sent, and not yet the one that runs. */
  awaitsStart(run: number): boolean {
    return this.#sent.some((entry) => entry.run === run && entry.starts && entry !== this.current);
  }

  clear(): void {
    this.#sent = [];
    this.#timer = undefined;
  }
}
