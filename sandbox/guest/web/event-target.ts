import { DOMException } from './dom-exception.ts';
import { ErrorEvent, type Event, eventState, isEvent } from './event.ts';
import { reportException, setErrorOffer } from './report-error.ts';
import { exposeInterface, isObject, requireArguments, toDictionary, toDOMString } from './webidl.ts';

type Callback = object;

/** A signal as `addEventListener` needs it; abort.ts builds on this file and not the other way round. */
interface ListenerSignal {
  readonly aborted: boolean;
  whenAborted(run: () => void): void;
}

interface Listener {
  readonly type: string;
  readonly callback: Callback | null;
  readonly capture: boolean;
  readonly once: boolean;
  readonly passive: boolean;
  removed: boolean;
}

/** Set by abort.ts: recognises an AbortSignal without this file importing it. */
let signalOf: (value: unknown) => ListenerSignal | undefined = () => undefined;
export function setSignalReader(read: typeof signalOf): void {
  signalOf = read;
}

/** Assigned inside the class, where its private fields are in scope. */
let listenersOf: (target: EventTarget) => Listener[];
export let isEventTarget: (value: unknown) => value is EventTarget;

/** Listeners of the global object, which can't be constructed by EventTarget. */
let globalTarget: EventTarget | undefined;
function targetOf(thisValue: unknown): EventTarget {
  if (thisValue === undefined || thisValue === null || thisValue === globalThis) {
    globalTarget ??= new EventTarget();
    return globalTarget;
  }
  if (!isEventTarget(thisValue)) throw new TypeError('Illegal invocation');
  return thisValue;
}

function toCallback(value: unknown, method: string): Callback | null {
  if (value === null || value === undefined) return null;
  if (!isObject(value)) throw new TypeError(`EventTarget.${method}: parameter 2 is not an object.`);
  return value;
}

/** "flatten options": a boolean or a dictionary with `capture`. */
function captureOf(options: unknown): boolean {
  return isObject(options) ? Boolean(Reflect.get(options, 'capture')) : Boolean(options);
}

export class EventTarget {
  readonly #listeners: Listener[] = [];

  addEventListener(type: unknown, callback: unknown, options: unknown = {}): void {
    requireArguments(arguments.length, 2, 'EventTarget.addEventListener');
    const target = targetOf(this);
    const name = toDOMString(type);
    const listenerCallback = toCallback(callback, 'addEventListener');
    const capture = captureOf(options);
    const dictionary = isObject(options) ? toDictionary(options, 'options') : {};
    const once = Boolean(dictionary.once);
    const passive = Boolean(dictionary.passive);
    const signal = dictionary.signal === undefined ? undefined : signalOf(dictionary.signal);
    if (dictionary.signal !== undefined && signal === undefined) {
      throw new TypeError('EventTarget.addEventListener: options.signal is not of type AbortSignal.');
    }
    if (signal?.aborted === true || listenerCallback === null) return;
    addListener(
      target,
      { type: name, callback: listenerCallback, capture, once, passive, removed: false },
      signal,
    );
  }

  removeEventListener(type: unknown, callback: unknown, options: unknown = {}): void {
    requireArguments(arguments.length, 2, 'EventTarget.removeEventListener');
    const target = targetOf(this);
    const name = toDOMString(type);
    const listenerCallback = toCallback(callback, 'removeEventListener');
    const capture = captureOf(options);
    const found = listenersOf(target).find(
      (listener) =>
        listener.type === name && listener.callback === listenerCallback && listener.capture === capture,
    );
    if (found !== undefined) removeListener(target, found);
  }

  dispatchEvent(event: unknown): boolean {
    requireArguments(arguments.length, 1, 'EventTarget.dispatchEvent');
    const target = targetOf(this);
    if (!isEvent(event)) throw new TypeError('EventTarget.dispatchEvent: parameter 1 is not of type Event.');
    const state = eventState(event);
    if (state.dispatching || !state.initialized) {
      throw new DOMException('The event is already being dispatched.', 'InvalidStateError');
    }
    state.trusted = false;
    return dispatch(target, event);
  }

  static {
    listenersOf = (target) => target.#listeners;
    isEventTarget = (value): value is EventTarget => isObject(value) && #listeners in value;
  }
}

exposeInterface('EventTarget', EventTarget);

function addListener(target: EventTarget, listener: Listener, signal?: ListenerSignal): void {
  const listeners = listenersOf(target);
  const known = listeners.some(
    (other) =>
      other.type === listener.type &&
      other.callback === listener.callback &&
      other.capture === listener.capture,
  );
  if (!known) listeners.push(listener);
  signal?.whenAborted(() => removeListener(target, listener));
}

function removeListener(target: EventTarget, listener: Listener): void {
  listener.removed = true;
  const listeners = listenersOf(target);
  const index = listeners.indexOf(listener);
  if (index >= 0) listeners.splice(index, 1);
}

/** Dispatches to a target without parents: capture listeners first, then the others. */
export function dispatch(target: EventTarget, event: Event): boolean {
  const state = eventState(event);
  const visible = target === globalTarget ? globalThis : target;
  state.dispatching = true;
  state.target = visible;
  state.currentTarget = visible;
  state.phase = 2;
  invokeListeners(target, visible, event, true);
  if (!state.stopPropagation) invokeListeners(target, visible, event, false);
  state.phase = 0;
  state.currentTarget = null;
  state.dispatching = false;
  state.stopPropagation = false;
  state.stopImmediatePropagation = false;
  return !state.canceled;
}

function invokeListeners(target: EventTarget, visible: object, event: Event, capture: boolean): void {
  const state = eventState(event);
  // A copy: listeners added meanwhile don't run, removed ones neither.
  for (const listener of [...listenersOf(target)]) {
    if (listener.removed || listener.type !== event.type || listener.capture !== capture) continue;
    if (listener.once) removeListener(target, listener);
    state.inPassiveListener = listener.passive;
    try {
      if (listener.callback !== null) callListener(listener.callback, visible, event);
    } catch (error) {
      reportException(error);
    }
    state.inPassiveListener = false;
    if (state.stopImmediatePropagation) return;
  }
}

function callListener(callback: Callback, visible: object, event: Event): void {
  if (typeof callback === 'function') {
    Reflect.apply(callback, visible, [event]);
    return;
  }
  const method: unknown = Reflect.get(callback, 'handleEvent');
  if (typeof method !== 'function') throw new TypeError("EventListener: 'handleEvent' is not a function.");
  Reflect.apply(method, callback, [event]);
}

/** Fires a trusted event, as the platform itself does. */
export function fire(target: EventTarget, event: Event): boolean {
  eventState(event).trusted = true;
  return dispatch(target, event);
}

/** `addEventListener` and friends as functions of the global object: they need no receiver. */
export const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;

/** The state of one event handler attribute (`onabort`): a listener that stays at the place of its first setting. */
export class EventHandler {
  #handler: object | null = null;
  #registered = false;
  readonly #target: EventTarget;
  readonly #type: string;

  constructor(target: EventTarget, type: string) {
    this.#target = target;
    this.#type = type;
  }

  get(): object | null {
    return this.#handler;
  }

  set(value: unknown): void {
    this.#handler = isObject(value) ? value : null;
    if (this.#handler === null || this.#registered) return;
    this.#registered = true;
    const callback = (event: Event): void => {
      if (typeof this.#handler !== 'function') return;
      const result: unknown = Reflect.apply(this.#handler, event.currentTarget, [event]);
      if (result === false) event.preventDefault();
    };
    addListener(this.#target, {
      type: this.#type,
      callback,
      capture: false,
      once: false,
      passive: false,
      removed: false,
    });
  }
}

setErrorOffer((error, message) => {
  if (globalTarget === undefined) return false;
  return !fire(globalTarget, new ErrorEvent('error', { cancelable: true, error, message }));
});
