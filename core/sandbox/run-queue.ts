import type { Run } from './run.ts';

interface Lane {
  /** Waiting runs by session; the session whose turn is next comes first. Those without one share a turn. */
  readonly waiting: Map<string, Run[]>;
  length: number;
  active: number;
  /** Warm contexts in use: calls into one of them follow each other. */
  readonly contexts: Set<string>;
}

/** Lanes that are kept without a run in them. */
const MOST_RESTING_LANES = 1_000;

/** How many of the plugin's calls there were when the queue had no place for another one. */
export interface Full {
  readonly running: number;
  readonly waiting: number;
}

/**
 * Runs that wait for a place, one lane a plugin. Lanes take turns, so a busy plugin delays itself and not the others;
 * within a lane sessions take turns, so a busy session does the same.
 */
export class RunQueue {
  readonly #lanes = new Map<string, Lane>();
  /** Names of lanes with waiting runs, next turn first. */
  readonly #turns = new Set<string>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A place for a run for which there is one at once, while nobody waits. */
  enter<Place>(run: Run, accepts: (run: Run) => Place | undefined): Place | undefined {
    if (this.#length > 0) return undefined;
    const lane = this.#lane(run);
    const place = canBegin(lane, run) ? accepts(run) : undefined;
    if (place !== undefined) begin(lane, run);
    return place;
  }

  /** Undefined when the run was taken into the plugin's lane. */
  add(run: Run): Full | undefined {
    const lane = this.#lane(run);
    const { concurrency, queue } = run.request.limits;
    if (lane.active + lane.length >= concurrency + queue)
      return { running: lane.active, waiting: lane.length };
    this.#push(lane, run, false);
    return undefined;
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
      const run = nextOf(lane);
      const place = run === undefined ? undefined : accepts(run);
      if (run === undefined || place === undefined) continue;
      this.#pull(lane, run);
      endTurn(lane, sessionOf(run));
      begin(lane, run);
      this.#turns.delete(name);
      if (lane.length > 0) this.#turns.add(name);
      return { run, place };
    }
    return undefined;
  }

  /** The run was settled before it got a place. */
  remove(run: Run): boolean {
    const lane = this.#lanes.get(run.request.program.name);
    if (lane === undefined || !this.#pull(lane, run)) return false;
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
    const all = [...this.#lanes.values()].flatMap((lane) => {
      const runs = [...lane.waiting.values()].flat();
      lane.waiting.clear();
      lane.length = 0;
      return runs;
    });
    this.#length = 0;
    this.#turns.clear();
    return all;
  }

  #push(lane: Lane, run: Run, first: boolean): void {
    const session = sessionOf(run);
    const runs = lane.waiting.get(session);
    if (first) putFirst(lane, session, [run, ...(runs ?? [])]);
    else if (runs === undefined) lane.waiting.set(session, [run]);
    else runs.push(run);
    lane.length += 1;
    this.#length += 1;
    this.#turns.add(run.request.program.name);
  }

  #pull(lane: Lane, run: Run): boolean {
    const session = sessionOf(run);
    const runs = lane.waiting.get(session);
    const index = runs?.indexOf(run) ?? -1;
    if (runs === undefined || index < 0) return false;
    runs.splice(index, 1);
    if (runs.length === 0) lane.waiting.delete(session);
    lane.length -= 1;
    this.#length -= 1;
    return true;
  }

  #lane(run: Run): Lane {
    const { name } = run.request.program;
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: new Map(), length: 0, active: 0, contexts: new Set() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #tidy(name: string, lane: Lane): void {
    if (lane.length === 0) this.#turns.delete(name);
    // Kept for the next call, which most often comes.
    if (lane.length === 0 && lane.active <= 0 && this.#lanes.size > MOST_RESTING_LANES)
      this.#lanes.delete(name);
  }
}

function begin(lane: Lane, run: Run): void {
  lane.active += 1;
  if (run.contextName !== undefined) lane.contexts.add(run.contextName);
}

/** The first run, in turns of the sessions, that may begin now. */
function nextOf(lane: Lane): Run | undefined {
  for (const runs of lane.waiting.values()) {
    const run = runs.find((candidate) => canBegin(lane, candidate));
    if (run !== undefined) return run;
  }
  return undefined;
}

function putFirst(lane: Lane, session: string, runs: Run[]): void {
  const others = [...lane.waiting].filter(([name]) => name !== session);
  lane.waiting.clear();
  lane.waiting.set(session, runs);
  for (const [name, waiting] of others) lane.waiting.set(name, waiting);
}

function endTurn(lane: Lane, session: string): void {
  const runs = lane.waiting.get(session);
  if (runs === undefined) return;
  lane.waiting.delete(session);
  lane.waiting.set(session, runs);
}

function sessionOf(run: Run): string {
  return run.request.session ?? '';
}

function canBegin(lane: Lane, run: Run): boolean {
  if (lane.active >= run.request.limits.concurrency) return false;
  return run.contextName === undefined || !lane.contexts.has(run.contextName);
}
