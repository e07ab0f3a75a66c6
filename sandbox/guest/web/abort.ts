import { DOMException } from './dom-exception.ts';
import { Event } from './event.ts';
import { EventHandler, EventTarget, fire, setSignalReader } from './event-target.ts';
import { bridge } from './guest-bridge.ts';
import { exposeInterface, isObject, requireArguments, toEnforcedUnsigned, toSequence } from './webidl.ts';

/** Only this module can make a signal: `new AbortSignal()` is a TypeError. */
const key = Symbol('make');

interface SignalState {
  aborted: boolean;
  reason: unknown;
  dependent: boolean;
  algorithms: Set<() => void>;
  sources: Set<AbortSignal>;
  dependents: Set<AbortSignal>;
  handler: EventHandler;
}

/** Assigned inside the class, where its private fields are in scope. */
let stateOf: (signal: AbortSignal) => SignalState;
export let isAbortSignal: (value: unknown) => value is AbortSignal;

export class AbortSignal extends EventTarget {
  readonly #state: SignalState;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    super();
    this.#state = {
      aborted: false,
      reason: undefined,
      dependent: false,
      algorithms: new Set(),
      sources: new Set(),
      dependents: new Set(),
      handler: new EventHandler(this, 'abort'),
    };
  }

  static abort(reason: unknown = undefined): AbortSignal {
    const signal = createSignal();
    const state = stateOf(signal);
    state.aborted = true;
    state.reason = reason === undefined ? defaultReason() : reason;
    return signal;
  }

  static timeout(milliseconds: unknown): AbortSignal {
    requireArguments(arguments.length, 1, 'AbortSignal.timeout');
    const delay = toEnforcedUnsigned(milliseconds, 'AbortSignal.timeout: parameter 1');
    const signal = createSignal();
    bridge().startTimer(delay, () => {
      abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    });
    return signal;
  }

  static any(signals: unknown): AbortSignal {
    requireArguments(arguments.length, 1, 'AbortSignal.any');
    const sources = toSequence(signals, 'AbortSignal.any: parameter 1').map((value) => {
      if (!isAbortSignal(value))
        throw new TypeError('AbortSignal.any: an element is not of type AbortSignal.');
      return value;
    });
    return dependentSignal(sources);
  }

  get aborted(): boolean {
    return this.#state.aborted;
  }

  get reason(): unknown {
    return this.#state.reason;
  }

  throwIfAborted(): void {
    if (this.#state.aborted) throw this.#state.reason;
  }

  get onabort(): object | null {
    return this.#state.handler.get();
  }

  set onabort(value: unknown) {
    this.#state.handler.set(value);
  }

  static {
    stateOf = (signal) => signal.#state;
    isAbortSignal = (value): value is AbortSignal => isObject(value) && #state in value;
  }
}

exposeInterface('AbortSignal', AbortSignal, { statics: ['abort', 'timeout', 'any'] });
// The secret parameter is no part of the interface.
Object.defineProperty(AbortSignal, 'length', { value: 0, configurable: true });

export class AbortController {
  readonly #signal = createSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason: unknown = undefined): void {
    abortSignal(this.#signal, reason);
  }
}

exposeInterface('AbortController', AbortController);

export function createSignal(): AbortSignal {
  return new AbortSignal(key);
}

function defaultReason(): DOMException {
  return new DOMException('This operation was aborted', 'AbortError');
}

/** "Signal abort": marks it and its dependents first, then runs algorithms and events in order. */
export function abortSignal(signal: AbortSignal, reason: unknown = undefined): void {
  const state = stateOf(signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? defaultReason() : reason;
  const dependents: AbortSignal[] = [];
  for (const dependent of state.dependents) {
    const dependentState = stateOf(dependent);
    if (dependentState.aborted) continue;
    dependentState.aborted = true;
    dependentState.reason = state.reason;
    dependents.push(dependent);
  }
  runAbortSteps(signal);
  for (const dependent of dependents) runAbortSteps(dependent);
}

function runAbortSteps(signal: AbortSignal): void {
  const state = stateOf(signal);
  const algorithms = [...state.algorithms];
  state.algorithms.clear();
  for (const run of algorithms) run();
  fire(signal, new Event('abort'));
}

/** "Create a dependent abort signal". */
export function dependentSignal(signals: readonly AbortSignal[]): AbortSignal {
  const result = createSignal();
  const resultState = stateOf(result);
  const aborted = signals.find((signal) => stateOf(signal).aborted);
  if (aborted !== undefined) {
    resultState.aborted = true;
    resultState.reason = stateOf(aborted).reason;
    return result;
  }
  resultState.dependent = true;
  for (const signal of signals) {
    const state = stateOf(signal);
    for (const source of state.dependent ? state.sources : [signal]) {
      resultState.sources.add(source);
      stateOf(source).dependents.add(result);
    }
  }
  return result;
}

/** Runs an algorithm when the signal is aborted; the returned function takes it back. */
export function whenAborted(signal: AbortSignal, run: () => void): () => void {
  const state = stateOf(signal);
  if (state.aborted) return () => undefined;
  state.algorithms.add(run);
  return () => state.algorithms.delete(run);
}

setSignalReader((value) =>
  isAbortSignal(value)
    ? {
        aborted: stateOf(value).aborted,
        whenAborted: (run) => {
          whenAborted(value, run);
        },
      }
    : undefined,
);
