import { deserialize } from './clone-deserialize.ts';
import { type CloneRecord, transferables } from './clone-record.ts';
import { dataCloneError } from './clone-serialize.ts';
import { Event } from './event.ts';
import { EventHandler, EventTarget, fire } from './event-target.ts';
import { bridge } from './guest-bridge.ts';
import { MessageEvent, setPortTest } from './message-event.ts';
import { reportException } from './report-error.ts';
import { serializeWithTransfer } from './structured-clone.ts';
import { exposeInterface, isObject, requireArguments, toDictionary } from './webidl.ts';

/** Only this module can make a port: `new MessagePort()` is a TypeError. */
const key = Symbol('make');

interface Message {
  readonly record: CloneRecord;
  readonly transferred: readonly object[];
}

interface PortState {
  other: MessagePort | undefined;
  queue: Message[];
  started: boolean;
  detached: boolean;
  /** Is a task on its way that delivers a message? */
  scheduled: boolean;
  readonly onmessage: EventHandler;
  readonly onmessageerror: EventHandler;
}

/** Assigned inside the class, where its private fields are in scope. */
let stateOf: (port: MessagePort) => PortState;
let isMessagePort: (value: unknown) => value is MessagePort;

export class MessagePort extends EventTarget {
  readonly #state: PortState;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    super();
    this.#state = {
      other: undefined,
      queue: [],
      started: false,
      detached: false,
      scheduled: false,
      onmessage: new EventHandler(this, 'message'),
      onmessageerror: new EventHandler(this, 'messageerror'),
    };
  }

  postMessage(message: unknown, options: unknown = undefined): void {
    requireArguments(arguments.length, 1, 'MessagePort.postMessage');
    const { other } = this.#state;
    const transfer = transferOf(options);
    const sent = serializeWithTransfer(message, transfer, 'MessagePort.postMessage', this);
    // A message that takes its own receiver away reaches nobody.
    if (other === undefined || stateOf(other).detached) return;
    stateOf(other).queue.push(sent);
    schedule(other);
  }

  start(): void {
    this.#state.started = true;
    schedule(this);
  }

  close(): void {
    const { other } = this.#state;
    this.#state.other = undefined;
    this.#state.detached = true;
    if (other === undefined) return;
    stateOf(other).other = undefined;
    bridge().startTimer(0, () => fire(other, new Event('close')));
  }

  get onmessage(): object | null {
    return this.#state.onmessage.get();
  }

  set onmessage(value: unknown) {
    this.#state.onmessage.set(value);
    this.start();
  }

  get onmessageerror(): object | null {
    return this.#state.onmessageerror.get();
  }

  set onmessageerror(value: unknown) {
    this.#state.onmessageerror.set(value);
  }

  static {
    stateOf = (port) => port.#state;
    isMessagePort = (value): value is MessagePort => isObject(value) && #state in value;
  }
}

exposeInterface('MessagePort', MessagePort);
// The secret parameter is no part of the interface.
Object.defineProperty(MessagePort, 'length', { value: 0, configurable: true });

export class MessageChannel {
  readonly #ports = [new MessagePort(key), new MessagePort(key)] as const;

  constructor() {
    const [one, other] = this.#ports;
    stateOf(one).other = other;
    stateOf(other).other = one;
  }

  get port1(): MessagePort {
    return this.#ports[0];
  }

  get port2(): MessagePort {
    return this.#ports[1];
  }
}

exposeInterface('MessageChannel', MessageChannel);

function transferOf(options: unknown): unknown {
  if (isObject(options) && Reflect.get(options, Symbol.iterator) !== undefined) return options;
  return toDictionary(options, 'MessagePort.postMessage: options').transfer;
}

/** One task for each message, so that microtasks run in between. */
function schedule(port: MessagePort): void {
  const state = stateOf(port);
  if (!state.started || state.scheduled || state.queue.length === 0) return;
  state.scheduled = true;
  bridge().startTimer(0, () => {
    state.scheduled = false;
    const message = state.queue.shift();
    if (message !== undefined && !state.detached) deliver(port, message);
    schedule(port);
  });
}

function deliver(port: MessagePort, { record, transferred }: Message): void {
  let data: unknown;
  try {
    data = deserialize(record, transferred, new Map());
  } catch (error) {
    reportException(error);
    fire(port, new MessageEvent('messageerror'));
    return;
  }
  fire(port, new MessageEvent('message', { data, ports: transferred.filter(isMessagePort) }));
}

transferables.push({
  matches: isMessagePort,
  transfer(value) {
    const port = value as MessagePort; // matched
    const state = stateOf(port);
    if (state.detached) throw dataCloneError('A detached MessagePort');
    const moved = new MessagePort(key);
    const next = stateOf(moved);
    next.other = state.other;
    next.queue = state.queue;
    if (state.other !== undefined) stateOf(state.other).other = moved;
    state.other = undefined;
    state.queue = [];
    state.detached = true;
    return moved;
  },
});

setPortTest(isMessagePort);
