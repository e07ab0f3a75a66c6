/** Timers of this process, counted: while none is set, nothing but a message can happen, and it may block in reading. */
export class Alarms {
  readonly #set = new Set<NodeJS.Timeout>();

  get pending(): boolean {
    return this.#set.size > 0;
  }

  set(fire: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#set.delete(timer);
      fire();
    }, ms);
    this.#set.add(timer);
    return timer;
  }

  clear(timer: NodeJS.Timeout | undefined): void {
    if (timer !== undefined && this.#set.delete(timer)) clearTimeout(timer);
  }
}
