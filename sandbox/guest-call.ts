import { randomBytes } from 'node:crypto';
import type ivm from 'isolated-vm';
import type { Alarms } from './alarms.ts';
import type { Cell, Room } from './cell.ts';
import { Enter, Out, UNREADABLE_ERROR } from './crossing.ts';
import { describeRejection } from './describe-rejection.ts';
import { monotonicMs } from './monotonic.ts';
import {
  type CallHead,
  CLOCK_PER_CPU,
  encodeFrame,
  type LogHead,
  MAX_HOST_CALL_BYTES,
  MAX_HOST_CALL_BYTES_IN_ALL,
  MAX_THROWN_CHARS,
  type ProgramLimits,
  type ResultForm,
  ToHost,
} from './protocol.ts';

export type Send = (frame: Buffer) => void;

/** What a call needs of the engine around it. */
export interface CallSurroundings {
  readonly send: Send;
  readonly alarms: Alarms;
  /** A timer of the guest is due. */
  readonly onTimer: (id: number) => void;
}

interface Ending {
  readonly form: ResultForm;
  readonly reason?: string;
  readonly body: string;
}

/** Timers that one call may hold at the same time. */
const MAX_TIMERS = 1_000;
const MAX_TIMER_MS = 2_147_483_647;
/**
 * What a timer costs this process and the host besides the plugin's own code, milliseconds: two messages and an entry.
 * It counts towards `cpuMs`, or a thousand timers of 0 ms would keep two processes busy for the price of one.
 */
const TIMER_COST_MS = 0.025;
/** How long listeners of `ctx.signal` may run once a call is cancelled, milliseconds. */
const ABORT_MS = 50;
/** One call inside the engine: its room, its budgets, and the one ending that it may have. */
export class GuestCall {
  readonly #id: number;
  readonly #head: CallHead;
  readonly #limits: ProgramLimits;
  readonly cell: Cell;
  readonly room: Room;
  readonly #surroundings: CallSurroundings;
  readonly #began = performance.now();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #cpuMs = 0;
  #hostCalls = 0;
  #hostCallBytes = 0;
  #started = false;
  #logBytes = 0;
  #ending: Ending | undefined;
  /** Milliseconds that the entry which runs now may take before an answer comes too late. */
  #answerBy = 0;
  #enteredAt = 0;
  #answeredInTime = false;
  /** Did an interrupt or the heap limit end an entry? Then the isolate is given up. */
  broken = false;
  loaded = false;

  constructor(
    id: number,
    head: CallHead,
    limits: ProgramLimits,
    cell: Cell,
    room: Room,
    surroundings: CallSurroundings,
  ) {
    this.#id = id;
    this.#head = head;
    this.#limits = limits;
    this.cell = cell;
    this.room = room;
    this.#surroundings = surroundings;
    room.listener.current = (what, number, text, more) => this.#out(what, number, text, more);
  }

  get ended(): boolean {
    return this.#ending !== undefined;
  }

  /** Ended by a limit or its caller, perhaps half way: a warm context is not used again. */
  get stopped(): boolean {
    return this.#ending?.form === 'stopped';
  }

  get cpuMs(): number {
    return this.#cpuMs;
  }

  load(code: string): void {
    this.#timed((timeout) => {
      const loader = this.cell.loader(this.room, code);
      try {
        this.#apply(Enter.load, 0, '', '', timeout, loader);
      } finally {
        loader.release();
      }
    });
    this.room.loaded = this.loaded;
    if (!this.loaded) this.#end({ form: 'stopped', reason: 'plugin_unavailable', body: '' });
  }

  start(argumentsText: string): void {
    const { session, env } = this.#head;
    const input =
      session === undefined && env === undefined ? '' : JSON.stringify({ session, env: env ?? {} });
    this.#started = true;
    this.#timed((timeout) => this.#apply(Enter.call, this.#id, argumentsText, input, timeout));
  }

  reply(hostCall: number, ok: boolean, text: string): void {
    this.#timed((timeout) => this.#apply(ok ? Enter.reply : Enter.fail, hostCall, text, '', timeout));
  }

  fireTimer(id: number): void {
    this.#timers.delete(id);
    this.#cpuMs += TIMER_COST_MS;
    this.#timed((timeout) => this.#apply(Enter.timer, id, '', '', timeout));
  }

  cancel(): void {
    this.#timed((timeout) => this.#apply(Enter.abort, 0, '', '', Math.min(timeout, ABORT_MS)));
    this.#end({ form: 'stopped', reason: 'cancelled', body: '' });
  }

  /** The host has answered for this call already. */
  drop(): void {
    this.#end({ form: 'stopped', reason: 'cancelled', body: '' });
  }

  /** Sends the answer, if there is one, and forgets the call. Only now can the host take it for ended. */
  finish(sequence: number): void {
    this.room.listener.current = undefined;
    for (const timer of this.#timers.values()) this.#surroundings.alarms.clear(timer);
    this.#timers.clear();
    // A probe ends without an answer: its entry was loaded, and that was all.
    const { form, reason, body }: Ending = this.#ending ?? { form: 'void', body: '' };
    const heapBytes = this.cell.measureHeap();
    const head = {
      sequence,
      form,
      cpuMs: this.#cpuMs,
      heapBytes,
      ...(reason === undefined ? {} : { reason }),
    };
    this.#surroundings.send(encodeFrame(ToHost.result, this.#id, head, body));
  }

  #apply(
    what: number,
    number: number,
    text: string,
    more: string,
    timeout: number,
    loader?: ivm.Reference<() => unknown>,
  ): void {
    const args =
      loader === undefined ? [what, number, text, more] : [what, number, text, more, loader.derefInto()];
    // The guest's entry takes primitives and one function of its own realm; the types can't say so.
    this.room.enter.applySync(undefined, args as never, { timeout });
  }

  /** Runs one entry inside its budgets and finds out from the clock and the isolate, never from a text, what ended it. */
  #timed(enter: (timeout: number) => void): void {
    const wallLeft = this.#head.deadline - monotonicMs();
    const cpuLeft = this.#limits.cpuMs - this.#cpuMs;
    const timeout = Math.max(1, Math.ceil(Math.min(wallLeft, cpuLeft * CLOCK_PER_CPU)));
    const { isolate } = this.cell;
    const before = isolate.cpuTime;
    const clock = performance.now();
    this.#enteredAt = clock;
    this.#answerBy = Math.min(wallLeft, cpuLeft);
    let interrupted = false;
    let hasThrown = false;
    try {
      enter(timeout);
    } catch (error) {
      hasThrown = true;
      // What the guest throws stays inside it (main.ts); this is an interrupt, the heap limit, the stack's end, or the first
      // rejection of this entry that nobody handles: isolated-vm throws a copy of it once the microtasks are done.
      interrupted = isolate.isDisposed || performance.now() - clock >= timeout - 1;
      this.cell.isCalm = false;
      if (!interrupted) this.#logRejection(error);
    }
    const passed = performance.now() - clock;
    // What is thrown is copied outside the isolate's own clock.
    this.#cpuMs += isolate.isDisposed || hasThrown ? passed : Number(isolate.cpuTime - before) / 1e6;
    if (isolate.isDisposed) this.#stop('memory_limit');
    else if (this.#cpuMs > this.#limits.cpuMs) this.#stop('cpu_limit', interrupted);
    else if (interrupted) this.#stop(wallLeft <= timeout ? 'timeout' : 'cpu_limit', true);
  }

  #stop(reason: string, broken = true): void {
    this.broken ||= broken;
    // What code left running in the background does after a good answer can't take the answer back.
    if (this.#answeredInTime || this.#ending?.form === 'stopped') return;
    this.#ending = { form: 'stopped', reason, body: '' };
  }

  #end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#answeredInTime = performance.now() - this.#enteredAt <= this.#answerBy;
  }

  /** Never throws: an error of ours must not reach the guest. */
  #out(what: number, number: number, text: string, more: string): unknown {
    try {
      return this.#dispatch(what, number, text, more);
    } catch {
      this.#stop('internal');
      return undefined;
    }
  }

  #dispatch(what: number, number: number, text: string, more: string): unknown {
    switch (what) {
      case Out.value:
      case Out.nothing:
      case Out.thrown:
      case Out.unserialisable:
        return this.#answer(what, number, text);
      case Out.loaded:
        this.loaded = true;
        return undefined;
      case Out.hostCall:
        return this.#hostCall(number, text, more);
      case Out.log:
      case Out.progress:
        return this.#log(what === Out.log, text, more);
      case Out.startTimer:
        return this.#startTimer(number, Number(more));
      case Out.stopTimer:
        this.#surroundings.alarms.clear(this.#timers.get(number));
        this.#timers.delete(number);
        return undefined;
      case Out.random:
        return randomBytes(Math.min(number, 65_536)).toString('hex');
      case Out.now:
        return performance.now() - this.#began;
      default:
        return undefined;
    }
  }

  /** In a warm context a promise of an earlier call may settle late: its answer is nobody's. */
  #answer(what: number, number: number, text: string): void {
    if (this.#started && number !== this.#id) return;
    const bytes = Buffer.byteLength(text);
    if (what === Out.value && bytes > this.#limits.resultBytes)
      this.#end({ form: 'stopped', reason: 'output_limit', body: '' });
    else if (what === Out.value) this.#end({ form: 'value', body: text });
    else if (what === Out.nothing) this.#end({ form: 'void', body: '' });
    // The guest cuts what it packs; more comes only from one that plugin code has bent.
    else if (bytes > MAX_THROWN_CHARS * 4) this.#end({ form: 'thrown', body: UNREADABLE_ERROR });
    else this.#end({ form: what === Out.thrown ? 'thrown' : 'unserialisable', body: text });
  }

  #hostCall(number: number, method: string, params: string): unknown {
    this.#hostCalls += 1;
    if (this.#hostCalls > this.#limits.hostCalls) {
      this.#stop('host_call_limit', false);
      return 'too many calls to the host';
    }
    if (this.ended) return 'the call has ended';
    this.#hostCallBytes += Buffer.byteLength(params);
    if (this.#hostCallBytes > MAX_HOST_CALL_BYTES_IN_ALL) {
      this.#stop('host_call_limit', false);
      return 'too much data in calls to the host';
    }
    if (Buffer.byteLength(params) > MAX_HOST_CALL_BYTES) return 'the parameters of a host call are too large';
    this.#surroundings.send(
      encodeFrame(ToHost.hostCall, this.#id, { number, method: method.slice(0, 100) }, params),
    );
    return undefined;
  }

  #log(isLog: boolean, first: string, second: string): unknown {
    const [level, text] = isLog ? [first, second] : ['', first];
    this.#logBytes += Buffer.byteLength(text) + 1;
    if (this.#logBytes > this.#limits.logBytes) {
      this.#stop('output_limit', false);
      return 'the call has logged too much';
    }
    const head: LogHead = { level: level.slice(0, 5) };
    this.#surroundings.send(encodeFrame(isLog ? ToHost.log : ToHost.progress, this.#id, head, text));
  }

  /** Our own line: what doesn't fit is left out, and ends nothing. */
  #logRejection(error: unknown): void {
    const text = describeRejection(error);
    if (this.#logBytes + Buffer.byteLength(text) < this.#limits.logBytes) this.#log(true, 'error', text);
  }

  #startTimer(id: number, ms: number): unknown {
    if (this.#timers.size >= MAX_TIMERS)
      return `more than ${MAX_TIMERS} timers at one time; clear some, or wait until they have fired`;
    const delay = Math.min(Math.max(0, ms || 0), MAX_TIMER_MS);
    const { alarms, onTimer } = this.#surroundings;
    this.#timers.set(
      id,
      alarms.set(() => onTimer(id), delay),
    );
    return undefined;
  }
}
