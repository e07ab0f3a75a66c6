import { bridge } from './guest-bridge.ts';
import { exposeInterface, requireArguments, toDictionary, toDOMString, toUnsignedLong } from './webidl.ts';

/** What the dispatch algorithm may change of an event. */
export interface EventState {
  target: object | null;
  currentTarget: object | null;
  phase: number;
  dispatching: boolean;
  initialized: boolean;
  stopPropagation: boolean;
  stopImmediatePropagation: boolean;
  canceled: boolean;
  inPassiveListener: boolean;
  trusted: boolean;
}

/** Assigned inside the class, where its private fields are in scope. */
export let eventState: (event: Event) => EventState;
export let isEvent: (value: unknown) => value is Event;

/** `isTrusted` is [LegacyUnforgeable]: an own accessor of each instance, the same getter for all. */
const trustedDescriptor: PropertyDescriptor = {
  get: Object.getOwnPropertyDescriptor(
    {
      get isTrusted(): boolean {
        if (!isEvent(this)) throw new TypeError('Illegal invocation');
        return eventState(this).trusted;
      },
    },
    'isTrusted',
  )?.get as () => boolean,
  enumerable: true,
  configurable: false,
};

export class Event {
  #type: string;
  #bubbles: boolean;
  #cancelable: boolean;
  readonly #composed: boolean;
  readonly #timeStamp = bridge().now();
  readonly #state: EventState = {
    target: null,
    currentTarget: null,
    phase: 0,
    dispatching: false,
    initialized: true,
    stopPropagation: false,
    stopImmediatePropagation: false,
    canceled: false,
    inPassiveListener: false,
    trusted: false,
  };
  declare readonly isTrusted: boolean;

  constructor(type: unknown, eventInit: unknown = {}) {
    requireArguments(arguments.length, 1, 'Event constructor');
    this.#type = toDOMString(type);
    const init = toDictionary(eventInit, 'Event constructor: eventInitDict');
    this.#bubbles = Boolean(init.bubbles);
    this.#cancelable = Boolean(init.cancelable);
    this.#composed = Boolean(init.composed);
    Object.defineProperty(this, 'isTrusted', trustedDescriptor);
  }

  get type(): string {
    return this.#type;
  }

  get target(): object | null {
    return this.#state.target;
  }

  get srcElement(): object | null {
    return this.#state.target;
  }

  get currentTarget(): object | null {
    return this.#state.currentTarget;
  }

  composedPath(): object[] {
    const { currentTarget } = this.#state;
    return currentTarget === null ? [] : [currentTarget];
  }

  get eventPhase(): number {
    return this.#state.phase;
  }

  stopPropagation(): void {
    this.#state.stopPropagation = true;
  }

  get cancelBubble(): boolean {
    return this.#state.stopPropagation;
  }

  set cancelBubble(value: unknown) {
    if (value) this.#state.stopPropagation = true;
  }

  stopImmediatePropagation(): void {
    this.#state.stopPropagation = true;
    this.#state.stopImmediatePropagation = true;
  }

  get bubbles(): boolean {
    return this.#bubbles;
  }

  get cancelable(): boolean {
    return this.#cancelable;
  }

  get returnValue(): boolean {
    return !this.#state.canceled;
  }

  set returnValue(value: unknown) {
    if (!value) this.#cancel();
  }

  preventDefault(): void {
    this.#cancel();
  }

  get defaultPrevented(): boolean {
    return this.#state.canceled;
  }

  get composed(): boolean {
    return this.#composed;
  }

  get timeStamp(): number {
    return this.#timeStamp;
  }

  initEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false): void {
    requireArguments(arguments.length, 1, 'Event.initEvent');
    const name = toDOMString(type);
    const state = this.#state;
    if (state.dispatching) return;
    state.initialized = true;
    state.stopPropagation = false;
    state.stopImmediatePropagation = false;
    state.canceled = false;
    state.trusted = false;
    state.target = null;
    this.#type = name;
    this.#bubbles = Boolean(bubbles);
    this.#cancelable = Boolean(cancelable);
  }

  #cancel(): void {
    if (this.#cancelable && !this.#state.inPassiveListener) this.#state.canceled = true;
  }

  static {
    eventState = (event) => event.#state;
    isEvent = (value): value is Event => typeof value === 'object' && value !== null && #state in value;
  }
}

exposeInterface('Event', Event, {
  constants: { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 },
});

export class CustomEvent extends Event {
  #detail: unknown;

  constructor(type: unknown, eventInit: unknown = {}) {
    requireArguments(arguments.length, 1, 'CustomEvent constructor');
    super(type, eventInit);
    const { detail } = toDictionary(eventInit, 'CustomEvent constructor: eventInitDict');
    this.#detail = detail === undefined ? null : detail;
  }

  get detail(): unknown {
    return this.#detail;
  }

  initCustomEvent(
    type: unknown,
    bubbles: unknown = false,
    cancelable: unknown = false,
    detail: unknown = null,
  ): void {
    requireArguments(arguments.length, 1, 'CustomEvent.initCustomEvent');
    if (eventState(this).dispatching) return;
    this.initEvent(type, bubbles, cancelable);
    this.#detail = detail;
  }
}

exposeInterface('CustomEvent', CustomEvent);

export class ErrorEvent extends Event {
  readonly #message: string;
  readonly #filename: string;
  readonly #lineno: number;
  readonly #colno: number;
  readonly #error: unknown;

  constructor(type: unknown, eventInit: unknown = {}) {
    requireArguments(arguments.length, 1, 'ErrorEvent constructor');
    super(type, eventInit);
    const init = toDictionary(eventInit, 'ErrorEvent constructor: eventInitDict');
    this.#message = init.message === undefined ? '' : toDOMString(init.message);
    this.#filename = init.filename === undefined ? '' : toDOMString(init.filename);
    this.#lineno = toUnsignedLong(init.lineno ?? 0);
    this.#colno = toUnsignedLong(init.colno ?? 0);
    this.#error = init.error;
  }

  get message(): string {
    return this.#message;
  }

  get filename(): string {
    return this.#filename;
  }

  get lineno(): number {
    return this.#lineno;
  }

  get colno(): number {
    return this.#colno;
  }

  get error(): unknown {
    return this.#error;
  }
}

exposeInterface('ErrorEvent', ErrorEvent);
