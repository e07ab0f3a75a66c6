import type ivm from 'isolated-vm';
import { Cell, type Counts, type GuestCode } from './cell.ts';
import { GuestCall, type Send } from './guest-call.ts';
import {
  type CallHead,
  type CancelHead,
  encodeFrame,
  type Frame,
  type LoadHead,
  MAX_RESTING_ISOLATES,
  type ReplyHead,
  ToHost,
  ToWorker,
} from './protocol.ts';

interface Program {
  readonly code: string;
  readonly memoryMb: number;
  readonly idle: Cell[];
  /** Contexts that outlive a call, by name, least recently used first. */
  readonly warm: Map<string, Cell>;
}

/** Idle isolates kept for one program. */
const MAX_IDLE_CELLS = 4;
/** Warm contexts (sessions) kept for one program. */
const MAX_WARM = 32;

/**
 * Isolates, contexts and budgets of one worker process. Synchronous on purpose: with isolated-vm's asynchronous API
 * recursion into a nested RegExp or eval ends in SIGSEGV; the supervisor outside is the clock.
 */
export class Engine {
  readonly #ivm: typeof ivm;
  readonly #guest: GuestCode;
  readonly #send: Send;
  readonly #counts: Counts = { isolates: 0, contexts: 0, compiles: 0 };
  readonly #programs = new Map<number, Program>();
  readonly #calls = new Map<
    number,
    { readonly call: GuestCall; readonly program: Program; readonly context: string | undefined }
  >();
  #preparing: NodeJS.Immediate | undefined;

  constructor(engine: typeof ivm, guestSource: string, send: Send) {
    this.#ivm = engine;
    this.#guest = { source: guestSource, cache: undefined };
    this.#send = send;
  }

  /** Heads were written by our own host, so their shapes are taken as given here. */
  handle(frame: Frame): void {
    switch (frame.kind) {
      case ToWorker.load:
        this.#programs.set(frame.call, {
          code: frame.body,
          memoryMb: (frame.head as LoadHead).memoryMb,
          idle: [],
          warm: new Map(),
        });
        return;
      case ToWorker.unload:
        return this.#unload(frame.call);
      case ToWorker.call:
        return this.#start(frame.call, frame.head as CallHead, frame.body);
      case ToWorker.probe:
        return this.#start(frame.call, frame.head as CallHead, undefined);
      case ToWorker.reply: {
        const { sequence, hostCall, ok } = frame.head as ReplyHead;
        return this.#enter(frame.call, sequence, (call) => call.reply(hostCall, ok, frame.body));
      }
      case ToWorker.cancel:
        return this.#enter(frame.call, (frame.head as CancelHead).sequence, (call) => call.cancel());
      case ToWorker.drop:
        return this.#leave(frame.call, (frame.head as CancelHead).sequence, true);
      case ToWorker.count:
        return this.#send(encodeFrame(ToHost.counts, 0, this.#counts, ''));
    }
  }

  #start(id: number, head: CallHead, argumentsText: string | undefined): void {
    const program = this.#programs.get(head.program);
    if (program === undefined) throw new Error('a call of a program that was not loaded');
    const cell = this.#cellFor(program, head.context);
    const room = cell.keptRoom ?? cell.takeRoom();
    if (head.context !== undefined) cell.keptRoom = room;
    const call = new GuestCall(id, head, cell, room, this.#send, (timer) => this.#fireTimer(id, timer));
    this.#calls.set(id, { call, program, context: head.context });
    if (!room.loaded) call.load(program.code);
    if (!call.ended && argumentsText !== undefined) call.start(argumentsText);
    if (call.ended || argumentsText === undefined) this.#leave(id, head.sequence, false);
    else this.#sendLeft(id, head.sequence, call);
  }

  #enter(id: number, sequence: number, act: (call: GuestCall) => void): void {
    const entry = this.#calls.get(id);
    if (entry === undefined) return this.#sendLeft(id, sequence, undefined);
    act(entry.call);
    if (entry.call.ended) this.#leave(id, sequence, false);
    else this.#sendLeft(id, sequence, entry.call);
  }

  #fireTimer(id: number, timer: number): void {
    this.#send(encodeFrame(ToHost.entered, id, {}, ''));
    this.#enter(id, 0, (call) => call.fireTimer(timer));
  }

  #sendLeft(id: number, sequence: number, call: GuestCall | undefined): void {
    this.#send(encodeFrame(ToHost.left, id, { sequence, cpuMs: call?.cpuMs ?? 0 }, ''));
  }

  #leave(id: number, sequence: number, dropped: boolean): void {
    const entry = this.#calls.get(id);
    if (entry === undefined) return this.#sendLeft(id, sequence, undefined);
    this.#calls.delete(id);
    const { call, program, context } = entry;
    if (dropped) call.drop();
    call.finish(sequence);
    // A dropped call may have left promises half way; its context is never used again.
    if (context === undefined || call.broken || call.stopped || dropped || !call.room.loaded)
      this.#giveBack(program, call, context, dropped);
    this.#prepareSoon();
  }

  #giveBack(program: Program, call: GuestCall, context: string | undefined, dropped: boolean): void {
    const { cell } = call;
    if (context !== undefined) {
      program.warm.delete(context);
      return cell.dispose();
    }
    if (!call.cell.isolate.isDisposed) {
      call.room.enter.release();
      call.room.context.release();
    }
    if (call.broken || dropped || cell.spent || program.idle.length >= MAX_IDLE_CELLS) return cell.dispose();
    program.idle.push(cell);
    this.#evict();
  }

  #cellFor(program: Program, context: string | undefined): Cell {
    if (context === undefined) return program.idle.pop() ?? this.#newCell(program);
    const found = program.warm.get(context);
    program.warm.delete(context);
    const cell = found === undefined || found.isolate.isDisposed ? this.#newCell(program) : found;
    program.warm.set(context, cell);
    if (program.warm.size > MAX_WARM) this.#dropOldestWarm(program);
    return cell;
  }

  #newCell(program: Program): Cell {
    return new Cell(this.#ivm, this.#guest, program.memoryMb, this.#counts);
  }

  #dropOldestWarm(program: Program): void {
    for (const [name, cell] of program.warm) {
      if (this.#inUse(cell)) continue;
      program.warm.delete(name);
      cell.dispose();
      return;
    }
  }

  #inUse(cell: Cell): boolean {
    for (const { call } of this.#calls.values()) if (call.cell === cell) return true;
    return false;
  }

  /** Programs are visited oldest first, so the ones that rest longest give up their isolates. */
  #evict(): void {
    let resting = 0;
    for (const program of this.#programs.values()) resting += program.idle.length;
    for (const program of this.#programs.values()) {
      while (resting > MAX_RESTING_ISOLATES && program.idle.length > 0) {
        program.idle.shift()?.dispose();
        resting -= 1;
      }
    }
  }

  #unload(number: number): void {
    const program = this.#programs.get(number);
    if (program === undefined) return;
    this.#programs.delete(number);
    for (const cell of program.idle) cell.dispose();
    for (const cell of program.warm.values()) if (!this.#inUse(cell)) cell.dispose();
  }

  #prepareSoon(): void {
    this.#preparing ??= setImmediate(() => {
      this.#preparing = undefined;
      for (const program of this.#programs.values()) program.idle.at(-1)?.prepare();
    });
  }
}
