/**
 * Entry of a worker for one plugin that an inspector is attached to. It starts and gives up its rights as worker.ts does.
 * Unlike there, the isolate runs on another thread (isolated-vm's asynchronous API): where it stops at a breakpoint, this
 * thread must still read. That is for the operator's own plugins only: strangers' code can crash that API.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type ivm from 'isolated-vm';
import type { EnterFunction, HostFunction } from './crossing.ts';
import { InspectedCall, type InspectedRoom } from './inspected-call.ts';
import {
  type CallHead,
  encodeFrame,
  type Frame,
  FrameReader,
  type InspectHead,
  type InspectLoadHead,
  MAX_FRAME_BYTES,
  MAX_INSPECT_BYTES,
  type ReplyHead,
  ToHost,
  ToWorker,
} from './protocol.ts';

declare const GUEST_SOURCE: string;

const FROM_HOST = 3;
const TO_HOST = 4;

/** Experimental in Node 24, so the types lack it. */
interface DroppablePermission {
  drop?(scope: string): void;
}

const [, , enginePath] = process.argv;
if (enginePath === undefined) throw new Error('the path of isolated-vm is missing');
const engine = createRequire(enginePath)(enginePath) as typeof ivm; // isolated-vm's own entry
const permission = process.permission as DroppablePermission | undefined; // see the interface
for (const scope of ['fs', 'addon', 'child', 'worker']) permission?.drop?.(scope);

function send(frame: Buffer): void {
  let written = 0;
  try {
    while (written < frame.length) written += writeSync(TO_HOST, frame, written);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The one plugin of this process. */
class Inspected {
  readonly #isolate: ivm.Isolate;
  readonly #guest: ivm.Script;
  readonly #program: ivm.Script;
  readonly #resultBytes: number;
  /** Contexts that outlive a call, by name. */
  readonly #kept = new Map<string, InspectedRoom>();
  #session: ivm.InspectorSession | undefined;
  #calls = new Map<number, InspectedCall>();

  constructor(code: string, { memoryMb, resultBytes, name }: InspectLoadHead) {
    this.#resultBytes = resultBytes;
    this.#isolate = new engine.Isolate({ memoryLimit: memoryMb, inspector: true });
    this.#guest = this.#isolate.compileScriptSync(
      `(function () {\n${GUEST_SOURCE}\n;return __guest.install;\n})()`,
      { filename: 'glovebox:guest' },
    );
    // On the first line, which is ours, so that all others keep their numbers for the source map.
    const wrapped = code.replace(/(?=\n\/\/# sourceMappingURL=[^\n]*\s*$)/, ';return __plugin;\n})');
    this.#program = this.#isolate.compileScriptSync(`(function () { ${wrapped}`, {
      filename: `file:///glovebox/${name}/plugin.js`,
    });
  }

  async call(id: number, head: CallHead, argumentsText: string): Promise<void> {
    const kept = head.context === undefined ? undefined : this.#kept.get(head.context);
    const room = kept ?? (await this.#openRoom());
    if (head.context !== undefined) this.#kept.set(head.context, room);
    const call = new InspectedCall(id, head, this.#resultBytes, this.#isolate, room, send, () => {
      this.#calls.delete(id);
      if (head.context === undefined && !this.#isolate.isDisposed) room.context.release();
    });
    this.#calls.set(id, call);
    call.start(this.#program, argumentsText);
  }

  get(id: number): InspectedCall | undefined {
    return this.#calls.get(id);
  }

  inspect({ what }: InspectHead, message: string): void {
    if (what === 'message') {
      this.#session?.dispatchProtocolMessage(message);
      return;
    }
    this.#session?.dispose();
    this.#session = undefined;
    if (what === 'close') return;
    this.#session = this.#isolate.createInspectorSession();
    const pass = (text: string) => {
      if (Buffer.byteLength(text) <= MAX_INSPECT_BYTES) send(encodeFrame(ToHost.inspected, 0, {}, text));
    };
    this.#session.onResponse = (_id, text) => pass(text);
    this.#session.onNotification = pass;
  }

  async #openRoom(): Promise<InspectedRoom> {
    const context = await this.#isolate.createContext({ inspector: true });
    const listener: InspectedRoom['listener'] = { current: undefined };
    // What main.ts exports.
    const install = (await this.#guest.run(context, { reference: true })) as ivm.Reference<
      (host: HostFunction) => EnterFunction
    >;
    // Arrives in the context as a function; the types know it only as a Callback.
    const host = new engine.Callback((what: number, number: number, text: string, more: string) =>
      listener.current?.(what, number, text, more),
    );
    const enter = await install.apply(undefined, [host as never], { result: { reference: true } });
    install.release();
    return { context, enter, listener, loaded: false };
  }
}

let inspected: Inspected | undefined;

/** Heads were written by our own host, so their shapes are taken as given here. */
function handle(frame: Frame): void {
  switch (frame.kind) {
    case ToWorker.load:
      inspected = new Inspected(frame.body, frame.head as InspectLoadHead);
      return;
    case ToWorker.call: {
      const head = frame.head as CallHead;
      inspected?.call(frame.call, head, frame.body).catch(() => {
        const failure = {
          sequence: head.sequence,
          form: 'stopped',
          reason: 'internal',
          cpuMs: 0,
          heapBytes: 0,
        };
        send(encodeFrame(ToHost.result, frame.call, failure, ''));
      });
      return;
    }
    case ToWorker.reply: {
      const { hostCall, ok } = frame.head as ReplyHead;
      return inspected?.get(frame.call)?.reply(hostCall, ok, frame.body);
    }
    case ToWorker.cancel:
      return inspected?.get(frame.call)?.cancel();
    case ToWorker.inspect:
      return inspected?.inspect(frame.head as InspectHead, frame.body);
  }
}

const reader = new FrameReader(MAX_FRAME_BYTES);
const input = new Socket({ fd: FROM_HOST, readable: true, writable: false });
input.on('data', (chunk: Buffer) => reader.push(chunk, handle));
// `process.exit()` can hang behind a stuck isolate.
input.on('close', () => process.kill(process.pid, 'SIGKILL'));
send(encodeFrame(ToHost.ready, 0, { node: process.versions.node, v8: process.versions.v8 }, ''));
