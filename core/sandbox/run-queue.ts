import type { Run } from './run.ts';

interface Lane {
  readonly waiting: Run[];
  active: number;
  /** Warm contexts in use: calls into one of them follow each other. */
  readonly contexts: Set<string>;
}

/**
 * Runs that wait for a place, one lane a plugin. Lanes take turns, so a busy plugin delays itself and not the others.
 */
export class RunQueue {
  readonly #lanes = new Map<string, Lane>();
  /** Names of lanes with waiting runs, next turn first. */
  readonly #turns = new Set<string>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Position in the plugin's lane, counted from 1; 0 when the lane is full and the run was not taken. */
  add(run: Run): number {
    const lane = this.#lane(run);
    if (lane.active + lane.waiting.length >= run.request.limits.concurrency + run.request.limits.queue)
      return 0;
    return this.#push(lane, run, false);
  }

  /** Back to the front: it had a place already and lost it without its own fault. */
  putBack(run: Run): void {
    this.finished(run);
    this.#push(this.#lane(run), run, true);
  }

  /** Takes the first run, in turns, that may begin now and that `accepts` has a place for. */
  take<Place>(
    accepts: (run: Run) => Place | undefined,
  ): { readonly run: Run; readonly place: Place } | undefined {
    for (const name of this.#turns) {
      const lane = this.#lanes.get(name);
      if (lane === undefined) continue;
      const index = lane.waiting.findIndex((run) => canBegin(lane, run));
      const run = lane.waiting[index];
      const place = run === undefined ? undefined : accepts(run);
      if (run === undefined || place === undefined) continue;
      lane.waiting.splice(index, 1);
      this.#length -= 1;
      lane.active += 1;
      if (run.contextName !== undefined) lane.contexts.add(run.contextName);
      this.#turns.delete(name);
      if (lane.waiting.length > 0) this.#turns.add(name);
      return { run, place };
    }
    return undefined;
  }

  /** The run was settled before it got a place. */
  remove(run: Run): boolean {
    const lane = this.#lanes.get(run.request.program.name);
    const index = lane?.waiting.indexOf(run) ?? -1;
    if (lane === undefined || index < 0) return false;
    lane.waiting.splice(index, 1);
    this.#length -= 1;
    this.#tidy(run.request.program.name, lane);
    return true;
  }

  /** A run that was taken has ended. */
  finished(run: Run): void {
    const lane = this.#lanes.get(run.request.program.name);
    if (lane === undefined) return;
    lane.active -= 1;
    if (run.contextName !== undefined) lane.contexts.delete(run.contextName);
    this.#tidy(run.request.program.name, lane);
  }

  drain(): Run[] {
    const all = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    this.#length = 0;
    this.#turns.clear();
    return all;
  }

  #push(lane: Lane, run: Run, first: boolean): number {
    if (first) lane.waiting.unshift(run);
    else lane.waiting.push(run);
    this.#length += 1;
    this.#turns.add(run.request.program.name);
    return first ? 1 : lane.waiting.length;
  }

  #lane(run: Run): Lane {
    const { name } = run.request.program;
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: [], active: 0, contexts: new Set() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #tidy(name: string, lane: Lane): void {
    if (lane.waiting.length === 0) this.#turns.delete(name);
    if (lane.waiting.length === 0 && lane.active <= 0) this.#lanes.delete(name);
  }
}

function canBegin(lane: Lane, run: Run): boolean {
  if (lane.active >= run.request.limits.concurrency) return false;
  return run.contextName === undefined || !lane.contexts.has(run.contextName);
}
