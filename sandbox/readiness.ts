import type { Alarms } from './alarms.ts';
import type { Cell } from './cell.ts';
import type { Program } from './programs.ts';

/** Calls that follow each other more closely leave no time in which a context could be made ahead, milliseconds. */
const PAUSE_MS = 1;
/** How long this process steps aside, milliseconds. */
const NAP_MS = 0.1;
/** Nobody ever notifies it, so a wait for it lasts as long as it may. */
const NOBODY = new Int32Array(new SharedArrayBuffer(4));
/** How long nothing may have happened before what is costly is done ahead, milliseconds. */
const REST_MS = 5;
/** Without a rest it is done after so long: waiting for one makes every message dearer. */
const LONGEST_WAIT_MS = 200;

/**
 * Does ahead what the next call needs, while no call waits: the next context of the program that was called last, and an
 * isolate that belongs to nobody yet, for a program's first call, for one whose isolate is worn, and for a worker that
 * has to step in. Only our own guest runs in them until a call takes them.
 */
export class Readiness {
  readonly #makeCell: (memoryMb: number) => Cell;
  #blank: Cell | undefined;
  readonly #alarms: Alarms;
  #memoryMb: number;
  #next: NodeJS.Immediate | undefined;
  #lastCalled: Program | undefined;
  #rest: NodeJS.Timeout | undefined;
  #busyAt = 0;
  /** From the end of a call to the beginning of the next. */
  #pauseMs = Number.POSITIVE_INFINITY;
  #wantedAt = 0;

  constructor(makeCell: (memoryMb: number) => Cell, memoryMb: number, alarms: Alarms) {
    this.#makeCell = makeCell;
    this.#memoryMb = memoryMb;
    this.#alarms = alarms;
  }

  /** An isolate with a context in it, if there is one of this size. */
  take(memoryMb: number): Cell | undefined {
    this.#memoryMb = memoryMb;
    const cell = this.#blank;
    if (cell?.memoryMb !== memoryMb) return undefined;
    this.#blank = undefined;
    return cell;
  }

  /** Is something to be done once the event loop has its turn? */
  get pending(): boolean {
    return this.#next !== undefined;
  }

  /** A call begins. */
  callBegins(): void {
    this.#pauseMs = performance.now() - this.#busyAt;
  }

  /** A call has ended. */
  callEnded(): void {
    this.#busyAt = performance.now();
    if (this.#rest !== undefined || this.#blank?.memoryMb === this.#memoryMb) return;
    this.#wantedAt = this.#busyAt;
    this.#makeBlankAtRest();
  }

  /** A call that used up a context has ended. */
  prepareSoon(program: Program): void {
    if (this.#pauseMs < PAUSE_MS) return;
    this.#lastCalled = program;
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      // Whoever was just answered may share this core, and goes first.
      Atomics.wait(NOBODY, 0, 0, NAP_MS);
      this.#lastCalled?.idle.at(-1)?.prepare();
      this.#lastCalled = undefined;
    });
  }

  /** Nothing is known yet of what will be called. */
  prepareBlank(): void {
    if (this.#blank?.memoryMb === this.#memoryMb) return;
    this.#blank?.dispose();
    this.#blank = this.#makeCell(this.#memoryMb);
    this.#blank.prepare();
  }

  #makeBlankAtRest(): void {
    this.#rest = this.#alarms.set(() => {
      this.#rest = undefined;
      const now = performance.now();
      if (now - this.#busyAt < REST_MS && now - this.#wantedAt < LONGEST_WAIT_MS) this.#makeBlankAtRest();
      else this.prepareBlank();
    }, REST_MS);
  }
}
