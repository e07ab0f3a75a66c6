import type { Cell } from './cell.ts';
import { MAX_RESTING_ISOLATES, type ProgramLimits } from './protocol.ts';

export interface Program {
  readonly code: string;
  readonly limits: ProgramLimits;
  /** Isolates that no call uses, the one that was used last at the end. */
  readonly idle: Cell[];
  /** Contexts that outlive a call, by name, least recently used first. */
  readonly warm: Map<string, Cell>;
}

/** Idle isolates kept for one program. */
const MAX_IDLE_CELLS = 4;
/** Warm contexts (sessions) kept for one program. */
const MAX_WARM = 32;
/** What idle isolates may hold together, bytes. */
const MAX_RESTING_BYTES = 48 * 1_048_576;

/** The programs that the host has loaded and the isolates that rest in them; the least recently used are given up first. */
export class Programs {
  /** Least recently used first. */
  readonly #programs = new Map<number, Program>();
  readonly #isInUse: (cell: Cell) => boolean;

  constructor(isInUse: (cell: Cell) => boolean) {
    this.#isInUse = isInUse;
  }

  load(number: number, code: string, limits: ProgramLimits): void {
    this.#programs.set(number, { code, limits, idle: [], warm: new Map() });
  }

  unload(number: number): void {
    const program = this.#programs.get(number);
    if (program === undefined) return;
    this.#programs.delete(number);
    for (const cell of program.idle) cell.dispose();
    for (const cell of program.warm.values()) if (!this.#isInUse(cell)) cell.dispose();
  }

  /** The program, which becomes the one that was used last. */
  use(number: number): Program | undefined {
    const program = this.#programs.get(number);
    if (program === undefined) return undefined;
    this.#programs.delete(number);
    this.#programs.set(number, program);
    return program;
  }

  /** The isolate of a warm context, or undefined when it has to be made. */
  takeWarm(program: Program, context: string): Cell | undefined {
    const found = program.warm.get(context);
    program.warm.delete(context);
    return found?.isolate.isDisposed === true ? undefined : found;
  }

  keepWarm(program: Program, context: string, cell: Cell): void {
    program.warm.set(context, cell);
    if (program.warm.size > MAX_WARM) this.#dropOldestWarm(program);
  }

  /** A call of the program has left an isolate that may serve another one. */
  rest(number: number, program: Program, cell: Cell): void {
    if (cell.spent || program.idle.length >= MAX_IDLE_CELLS || !this.has(number, program))
      return cell.dispose();
    program.idle.push(cell);
    this.#evict();
  }

  /** False when the program was unloaded while its call ran. */
  has(number: number, program: Program): boolean {
    return this.#programs.get(number) === program;
  }

  #evict(): void {
    let [count, bytes] = [0, 0];
    for (const { idle } of this.#programs.values()) {
      count += idle.length;
      for (const cell of idle) bytes += cell.heapBytes;
    }
    for (const { idle } of this.#programs.values()) {
      while (idle.length > 0 && (count > MAX_RESTING_ISOLATES || (bytes > MAX_RESTING_BYTES && count > 1))) {
        const cell = idle.shift();
        count -= 1;
        bytes -= cell?.heapBytes ?? 0;
        cell?.dispose();
      }
    }
  }

  #dropOldestWarm(program: Program): void {
    for (const [name, cell] of program.warm) {
      if (this.#isInUse(cell)) continue;
      program.warm.delete(name);
      cell.dispose();
      return;
    }
  }
}
