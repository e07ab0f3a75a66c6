import { Event } from './event.ts';
import {
  exposeInterface,
  isObject,
  requireArguments,
  toDictionary,
  toSequence,
  toUSVString,
} from './webidl.ts';

export class MessageEvent extends Event {
  #data: unknown;
  #origin: string;
  #lastEventId: string;
  #source: unknown;
  #ports: readonly unknown[];

  constructor(type: unknown, eventInit: unknown = {}) {
    requireArguments(arguments.length, 1, 'MessageEvent constructor');
    super(type, eventInit);
    const init = toDictionary(eventInit, 'MessageEvent constructor: eventInitDict');
    const { data, lastEventId, origin, ports, source } = init;
    this.#data = data === undefined ? null : data;
    this.#lastEventId = lastEventId === undefined ? '' : `${lastEventId as string}`;
    this.#origin = origin === undefined ? '' : toUSVString(origin);
    this.#ports = toPorts(ports);
    this.#source = toSource(source);
  }

  get data(): unknown {
    return this.#data;
  }

  get origin(): string {
    return this.#origin;
  }

  get lastEventId(): string {
    return this.#lastEventId;
  }

  get source(): unknown {
    return this.#source;
  }

  get ports(): readonly unknown[] {
    return this.#ports;
  }

  initMessageEvent(
    type: unknown,
    bubbles: unknown = false,
    cancelable: unknown = false,
    data: unknown = null,
    origin: unknown = '',
    lastEventId: unknown = '',
    source: unknown = null,
    ports: unknown = [],
  ): void {
    requireArguments(arguments.length, 1, 'MessageEvent.initMessageEvent');
    this.initEvent(type, bubbles, cancelable);
    this.#data = data;
    this.#origin = toUSVString(origin);
    this.#lastEventId = `${lastEventId as string}`;
    this.#source = toSource(source);
    this.#ports = toPorts(ports);
  }
}

exposeInterface('MessageEvent', MessageEvent);

/** Recognises a port; message-port.ts builds on this file and not the other way round. */
let isPort: (value: unknown) => boolean = () => false;
export function setPortTest(test: typeof isPort): void {
  isPort = test;
}

function toPorts(value: unknown): readonly unknown[] {
  const ports = value === undefined ? [] : toSequence(value, 'MessageEvent: ports');
  if (!ports.every(isPort))
    throw new TypeError('MessageEvent: an element of ports is not of type MessagePort.');
  return Object.freeze(ports);
}

function toSource(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (!isObject(value) || !isPort(value))
    throw new TypeError('MessageEvent: source is not of type MessagePort.');
  return value;
}

export class PromiseRejectionEvent extends Event {
  readonly #promise: object;
  readonly #reason: unknown;

  constructor(type: unknown, eventInit: unknown) {
    requireArguments(arguments.length, 2, 'PromiseRejectionEvent constructor');
    super(type, eventInit);
    const { promise, reason } = toDictionary(eventInit, 'PromiseRejectionEvent constructor: eventInitDict');
    if (!isObject(promise))
      throw new TypeError('PromiseRejectionEvent constructor: promise is not an object.');
    this.#promise = promise;
    this.#reason = reason;
  }

  get promise(): object {
    return this.#promise;
  }

  get reason(): unknown {
    return this.#reason;
  }
}

exposeInterface('PromiseRejectionEvent', PromiseRejectionEvent);
