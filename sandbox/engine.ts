import type ivm from 'isolated-vm';
import { Alarms } from './alarms.ts';
import { Cell, type Counts, type GuestCode } from './cell.ts';
import { GuestCall, type Send } from './guest-call.ts';
import type { Pending } from './inbox.ts';
import { monotonicMs } from './monotonic.ts';
import { type Program, Programs } from './programs.ts';
import {
  type CallHead,
  type CancelHead,
  encodeFrame,
  type Frame,
  type LoadHead,
  type ReplyHead,
  ToHost,
  ToWorker,
} from './protocol.ts';
import { Readiness } from './readiness.ts';

interface Entry {
  readonly call: GuestCall;
  readonly number: number;
  readonly program: Program;
  readonly context: string | undefined;
}

/** Heap limit of a call unless somebody says otherwise, MiB: what an isolate gets that is made before any is known. */
const USUAL_MEMORY_MB = 64;

/**
 * Isolates, contexts and budgets of one worker process. Synchronous on purpose: with isolated-vm's asynchronous API
 * recursion into a nested RegExp or eval ends in SIGSEGV; the supervisor outside is the clock.
 */
export class Engine {
  readonly #ivm: typeof ivm;
  readonly #guest: GuestCode;
  readonly #send: Send;
  readonly #counts: Counts = { isolates: 0, contexts: 0, compiles: 0 };
  readonly #calls = new Map<number, Entry>();
  readonly #programs = new Programs((cell) => this.#inUse(cell));
  readonly #alarms = new Alarms();
  readonly #readiness = new Readiness((memoryMb) => this.#newCell(memoryMb), USUAL_MEMORY_MB, this.#alarms);

  constructor(engine: typeof ivm, guestSource: string, send: Send) {
    this.#ivm = engine;
    this.#guest = { source: guestSource, cache: undefined };
    this.#send = send;
  }

  /** Makes ready for a first call; compiles our guest on the way. */
  prepare(): void {
    this.#readiness.prepareBlank();
  }

  /** What may happen here before the next frame comes. */
  get pending(): Pending {
    if (this.#alarms.pending) return 'timer';
    return this.#readiness.pending ? 'work' : 'nothing';
  }

  /** Heads were written by our own host, so their shapes are taken as given here. */
  handle(frame: Frame): void {
    switch (frame.kind) {
      case ToWorker.load:
        return this.#programs.load(frame.call, frame.body, (frame.head as LoadHead).limits);
      case ToWorker.unload:
        return this.#programs.unload(frame.call);
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
    const program = this.#programs.use(head.program);
    if (program === undefined) throw new Error('a call of a program that was not loaded');
    // The host has said by now that it did not run, so it must not.
    if (head.deadline <= monotonicMs()) return this.#sendLate(id, head.sequence);
    this.#readiness.callBegins();
    const cell = this.#cellFor(program, head.context);
    const room = cell.keptRoom ?? cell.takeRoom();
    if (head.context !== undefined) cell.keptRoom = room;
    const call = new GuestCall(id, head, program.limits, cell, room, {
      send: this.#send,
      alarms: this.#alarms,
      onTimer: (timer) => this.#fireTimer(id, timer),
    });
    this.#calls.set(id, { call, number: head.program, program, context: head.context });
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

  #sendLate(id: number, sequence: number): void {
    this.#send(encodeFrame(ToHost.result, id, { sequence, form: 'late', cpuMs: 0, heapBytes: 0 }, ''));
  }

  #sendLeft(id: number, sequence: number, call: GuestCall | undefined): void {
    this.#send(encodeFrame(ToHost.left, id, { sequence, cpuMs: call?.cpuMs ?? 0 }, ''));
  }

  #leave(id: number, sequence: number, dropped: boolean): void {
    const entry = this.#calls.get(id);
    if (entry === undefined) return this.#sendLeft(id, sequence, undefined);
    this.#calls.delete(id);
    const { call, number, program } = entry;
    if (dropped) call.drop();
    call.finish(sequence);
    this.#giveBack(entry, dropped);
    this.#readiness.callEnded();
    if (entry.context === undefined && this.#programs.has(number, program))
      this.#readiness.prepareSoon(program);
  }

  #giveBack({ call, number, program, context }: Entry, dropped: boolean): void {
    const { cell, room } = call;
    if (context !== undefined) {
      // A call that was ended may have left promises half way; its context is never used again.
      const isHalfDone = dropped || call.broken || call.stopped || !room.loaded;
      if (!isHalfDone && this.#programs.has(number, program)) return;
      if (program.warm.get(context) === cell) program.warm.delete(context);
      return cell.dispose();
    }
    if (!cell.isolate.isDisposed) {
      room.enter.release();
      room.context.release();
    }
    if (call.broken || dropped) return cell.dispose();
    this.#programs.rest(number, program, cell);
  }

  #cellFor(program: Program, context: string | undefined): Cell {
    if (context === undefined) return program.idle.pop() ?? this.#takeCell(program);
    const cell = this.#programs.takeWarm(program, context) ?? this.#takeCell(program);
    this.#programs.keepWarm(program, context, cell);
    return cell;
  }

  #takeCell({ limits: { memoryMb } }: Program): Cell {
    return this.#readiness.take(memoryMb) ?? this.#newCell(memoryMb);
  }

  #newCell(memoryMb: number): Cell {
    return new Cell(this.#ivm, this.#guest, memoryMb, this.#counts);
  }

  #inUse(cell: Cell): boolean {
    for (const { call } of this.#calls.values()) if (call.cell === cell) return true;
    return false;
  }
}
