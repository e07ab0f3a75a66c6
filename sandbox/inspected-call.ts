import { randomBytes } from 'node:crypto';
import type ivm from 'isolated-vm';
import { Enter, type EnterFunction, type HostFunction, Out, UNREADABLE_ERROR } from './crossing.ts';
import {
  type CallHead,
  encodeFrame,
  type LogHead,
  MAX_HOST_CALL_BYTES,
  MAX_THROWN_CHARS,
  type ResultForm,
  ToHost,
} from './protocol.ts';

export interface InspectedRoom {
  readonly context: ivm.Context;
  readonly enter: ivm.Reference<EnterFunction>;
  readonly listener: { current: HostFunction | undefined };
  loaded: boolean;
}

const MAX_TIMERS = 1_000;
const MAX_TIMER_MS = 2_147_483_647;

/**
 * One call of a plugin that an inspector is attached to. It has no deadlines: a person reads its variables. Its entries
 * run on a thread of their own, one after the other, so that this thread can pass on what the inspector says meanwhile.
 */
export class InspectedCall {
  readonly #id: number;
  readonly #head: CallHead;
  readonly #resultBytes: number;
  readonly #isolate: ivm.Isolate;
  readonly #room: InspectedRoom;
  readonly #send: (frame: Buffer) => void;
  readonly #onEnd: () => void;
  readonly #began = performance.now();
  readonly #cpuBefore: bigint;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #entries: Promise<void> = Promise.resolve();
  #ending: { readonly form: ResultForm; readonly reason?: string; readonly body: string } | undefined;
  #isOver = false;

  constructor(
    id: number,
    head: CallHead,
    resultBytes: number,
    isolate: ivm.Isolate,
    room: InspectedRoom,
    send: (frame: Buffer) => void,
    onEnd: () => void,
  ) {
    this.#id = id;
    this.#head = head;
    this.#resultBytes = resultBytes;
    this.#isolate = isolate;
    this.#room = room;
    this.#send = send;
    this.#onEnd = onEnd;
    this.#cpuBefore = isolate.cpuTime;
    room.listener.current = (what, number, text, more) => {
      try {
        return this.#out(what, number, text, more);
      } catch {
        return undefined;
      }
    };
  }

  start(program: ivm.Script, argumentsText: string): void {
    const input = JSON.stringify({ session: this.#head.session, env: this.#head.env ?? {} });
    this.#enter(async () => {
      if (!this.#room.loaded) await this.#load(program);
      if (this.#ending === undefined) await this.#apply(Enter.call, this.#id, argumentsText, input);
    });
  }

  reply(hostCall: number, ok: boolean, text: string): void {
    this.#enter(() => this.#apply(ok ? Enter.reply : Enter.fail, hostCall, text, ''));
  }

  cancel(): void {
    this.#enter(() => this.#apply(Enter.abort, 0, '', ''));
    this.#end('stopped', '', 'cancelled');
    this.#settle();
  }

  async #load(program: ivm.Script): Promise<void> {
    // The wrapped bundle: a function expression.
    const loader = (await program.run(this.#room.context, { reference: true })) as ivm.Reference<
      () => unknown
    >;
    await this.#apply(Enter.load, 0, '', '', loader);
    loader.release();
    if (!this.#room.loaded) this.#end('stopped', '', 'plugin_unavailable');
  }

  #enter(act: () => Promise<void>): void {
    this.#entries = this.#entries.then(async () => {
      if (this.#isOver) return;
      try {
        await act();
      } catch {
        this.#end('stopped', '', this.#isolate.isDisposed ? 'memory_limit' : 'internal');
      }
      if (this.#ending !== undefined) this.#settle();
    });
  }

  async #apply(
    what: number,
    number: number,
    text: string,
    more: string,
    loader?: ivm.Reference<() => unknown>,
  ): Promise<void> {
    const args = [what, number, text, more, ...(loader === undefined ? [] : [loader.derefInto()])];
    // The guest's entry takes primitives and one function of its own realm; the types can't say so.
    await this.#room.enter.apply(undefined, args as never);
  }

  #end(form: ResultForm, body: string, reason?: string): void {
    this.#ending ??= { form, body, ...(reason === undefined ? {} : { reason }) };
  }

  #settle(): void {
    if (this.#isOver || this.#ending === undefined) return;
    this.#isOver = true;
    this.#room.listener.current = undefined;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    const { form, reason, body } = this.#ending;
    const isGone = this.#isolate.isDisposed;
    const head = {
      ...{ sequence: this.#head.sequence, form },
      cpuMs: isGone ? 0 : Number(this.#isolate.cpuTime - this.#cpuBefore) / 1e6,
      heapBytes: isGone ? 0 : this.#isolate.getHeapStatisticsSync().used_heap_size,
      ...(reason === undefined ? {} : { reason }),
    };
    this.#send(encodeFrame(ToHost.result, this.#id, head, body));
    this.#onEnd();
  }

  #out(what: number, number: number, text: string, more: string): unknown {
    switch (what) {
      case Out.value:
        if (Buffer.byteLength(text) > this.#resultBytes) this.#end('stopped', '', 'output_limit');
        else this.#end('value', text);
        return undefined;
      case Out.nothing:
        return this.#end('void', '');
      case Out.thrown:
        return this.#end('thrown', text.length > MAX_THROWN_CHARS ? UNREADABLE_ERROR : text);
      case Out.unserialisable:
        return this.#end('unserialisable', text);
      case Out.loaded:
        this.#room.loaded = true;
        return undefined;
      case Out.hostCall:
        if (Buffer.byteLength(more) > MAX_HOST_CALL_BYTES)
          return 'the parameters of a host call are too large';
        return this.#send(
          encodeFrame(ToHost.hostCall, this.#id, { number, method: text.slice(0, 100) }, more),
        );
      case Out.log: {
        const head: LogHead = { level: text.slice(0, 5) };
        return this.#send(encodeFrame(ToHost.log, this.#id, head, more));
      }
      case Out.progress:
        return this.#send(encodeFrame(ToHost.progress, this.#id, { level: '' }, text));
      case Out.startTimer:
        return this.#startTimer(number, Number(more));
      case Out.stopTimer:
        clearTimeout(this.#timers.get(number));
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

  #startTimer(id: number, ms: number): unknown {
    if (this.#timers.size >= MAX_TIMERS) return `more than ${MAX_TIMERS} timers at one time`;
    const fire = () => {
      this.#timers.delete(id);
      this.#enter(() => this.#apply(Enter.timer, id, '', ''));
    };
    this.#timers.set(id, setTimeout(fire, Math.min(Math.max(0, ms || 0), MAX_TIMER_MS)));
    return undefined;
  }
}
