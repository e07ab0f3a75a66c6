import type ivm from 'isolated-vm';
import { Enter, type EnterFunction, type HostFunction } from './crossing.ts';
import type { CountsHead } from './protocol.ts';

/** A context whose guest is installed; `enter` is the only way in. */
export interface Room {
  readonly context: ivm.Context;
  readonly enter: ivm.Reference<EnterFunction>;
  /** Directs what the guest calls out to the call that holds the room now. */
  readonly listener: { current: HostFunction | undefined };
  /** Has the program's entry been evaluated here? */
  loaded: boolean;
}

/** Contexts are collected late, so an isolate is given up after this many of them. */
const MAX_CONTEXTS = 64;
/** Share of the heap limit past which an idle isolate is given up. */
const MAX_HEAP_SHARE = 0.25;

/** How old the size of a warm context's heap may be, milliseconds. */
const HEAP_AGE_MS = 10;

/** Compiled parts that every isolate of this worker can use. */
export interface GuestCode {
  readonly source: string;
  /** V8's code cache of our own guest, made in this process; never of plugin code. */
  cache: ivm.ExternalCopy<ArrayBuffer> | undefined;
}

/** Added to by every cell of an engine. */
export type Counts = { -readonly [Key in keyof CountsHead]: number };

/**
 * One isolate. It belongs to nobody until a program's first call takes it, and to that program from then on. It serves
 * one call at a time, so a call's end can't touch another's.
 */
export class Cell {
  readonly isolate: ivm.Isolate;
  readonly #engine: typeof ivm;
  readonly #guest: ivm.Script;
  readonly memoryMb: number;
  readonly #counts: Counts;
  #program: ivm.Script | undefined;
  /** False once something was thrown out of it: more of that may wait, for whoever enters next. */
  isCalm = true;
  /** The room of a warm context: all calls of this cell share it. */
  keptRoom: Room | undefined;
  #contexts = 0;
  #heapBytes = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #prepared: Room | undefined;

  constructor(engine: typeof ivm, guest: GuestCode, memoryMb: number, counts: Counts) {
    this.#engine = engine;
    this.#counts = counts;
    counts.isolates += 1;
    counts.compiles += 1;
    this.memoryMb = memoryMb;
    this.isolate = new engine.Isolate({ memoryLimit: memoryMb });
    this.#guest = this.isolate.compileScriptSync(guest.source, {
      filename: 'glovebox:guest',
      ...(guest.cache === undefined ? { produceCachedData: true } : { cachedData: guest.cache }),
    });
    // The types lack it: set when `produceCachedData` was asked for.
    guest.cache ??= (this.#guest as { cachedData?: ivm.ExternalCopy<ArrayBuffer> }).cachedData;
  }

  /** A room that no call has used. */
  takeRoom(): Room {
    const room = this.#prepared ?? this.#openRoom();
    this.#prepared = undefined;
    return room;
  }

  /** Makes the next room while nobody waits for it; only our own code runs in it until a call takes it. */
  prepare(): void {
    if (this.spent || this.#prepared !== undefined) return;
    const room = this.#openRoom();
    // Nobody listens yet: what is sent out is heard by no call.
    room.enter.applySync(undefined, [Enter.rehearse, 0, '', '']);
    this.#prepared = room;
  }

  /** The program's bundle as a function of the room's context. It is made and not called: nothing of the bundle runs. */
  loader(room: Room, code: string): ivm.Reference<() => unknown> {
    // The prefix stays on a line of its own, so that lines of the bundle keep their numbers.
    this.#program ??= this.#compile(
      `(function () {\n${code}\n;return typeof __plugin === 'undefined' ? globalThis.__plugin : __plugin;\n})`,
    );
    return this.#program.runSync(room.context, { reference: true }) as ivm.Reference<() => unknown>; // the function expression above
  }

  measureHeap(): number {
    const now = performance.now();
    // Of a warm context that is called without a pause an older number will do: each measuring costs as much as a call.
    if (this.keptRoom !== undefined && now - this.#measuredAt < HEAP_AGE_MS) return this.#heapBytes;
    this.#measuredAt = now;
    try {
      this.#heapBytes = this.isolate.isDisposed ? 0 : this.isolate.getHeapStatisticsSync().used_heap_size;
    } catch {
      // A rejection that an interrupt left pending, or that came of reading one: it waits for the next way in.
      this.isCalm = false;
    }
    return this.#heapBytes;
  }

  /** As it was measured last. */
  get heapBytes(): number {
    return this.#heapBytes;
  }

  get spent(): boolean {
    return (
      this.isolate.isDisposed ||
      !this.isCalm ||
      this.#contexts >= MAX_CONTEXTS ||
      this.#heapBytes > this.memoryMb * 1_048_576 * MAX_HEAP_SHARE
    );
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  #compile(source: string): ivm.Script {
    this.#counts.compiles += 1;
    return this.isolate.compileScriptSync(source, { filename: 'plugin.js', lineOffset: -1 });
  }

  #openRoom(): Room {
    this.#contexts += 1;
    this.#counts.contexts += 1;
    const context = this.isolate.createContextSync();
    const listener: Room['listener'] = { current: undefined };
    const install = this.#guest.runSync(context, { reference: true }) as ivm.Reference<
      (host: HostFunction) => EnterFunction
    >; // what main.ts exports
    // Arrives in the context as a function; the types know it only as a Callback.
    const host = new this.#engine.Callback((what: number, number: number, text: string, more: string) =>
      listener.current?.(what, number, text, more),
    );
    const enter = install.applySync(undefined, [host as never], { result: { reference: true } });
    install.release();
    return { context, enter, listener, loaded: false };
  }
}
