import { bridge } from './guest-bridge.ts';
import { reportException } from './report-error.ts';
import { requireArguments, toDOMString, toLong } from './webidl.ts';

interface Timer {
  readonly bridgeId: number;
}

const timers = new Map<number, Timer>();
let lastHandle = 0;
/** How deep the running callback is in timers that were set by timers; microtasks after it do not inherit that. */
let nestingLevel = 0;

/** HTML: from this nesting level on, a timer waits at least 4 ms. */
const CLAMP_NESTING = 5;
const CLAMP_MS = 4;

type Handler = (() => void) & { readonly name: string };

/** TimerHandler may be a string of script; an indirect eval is what the standard describes. */
// biome-ignore lint/security/noGlobalEval: plugin code evaluates its own text in its own context
const evaluate = eval;

function toHandler(handler: unknown, passed: readonly unknown[]): Handler {
  if (typeof handler === 'function') return () => Reflect.apply(handler, globalThis, [...passed]);
  const source = toDOMString(handler);
  return () => evaluate(source);
}

function start(handle: number, run: Handler, milliseconds: number, repeat: boolean, nesting: number): void {
  const delay = nesting > CLAMP_NESTING ? Math.max(milliseconds, CLAMP_MS) : milliseconds;
  const bridgeId = bridge().startTimer(delay, () => {
    if (!timers.has(handle)) return;
    if (!repeat) timers.delete(handle);
    const outer = nestingLevel;
    nestingLevel = nesting;
    try {
      run();
    } catch (error) {
      reportException(error);
    } finally {
      nestingLevel = outer;
    }
    if (repeat && timers.has(handle)) start(handle, run, milliseconds, true, nesting + 1);
  });
  timers.set(handle, { bridgeId });
}

function create(handler: unknown, timeout: unknown, passed: readonly unknown[], repeat: boolean): number {
  const run = toHandler(handler, passed);
  const milliseconds = Math.max(0, toLong(timeout));
  const handle = ++lastHandle;
  start(handle, run, milliseconds, repeat, nestingLevel + 1);
  return handle;
}

function clear(handle: unknown): void {
  const id = toLong(handle);
  const timer = timers.get(id);
  if (timer === undefined) return;
  timers.delete(id);
  bridge().stopTimer(timer.bridgeId);
}

export function setTimeout(handler: unknown, timeout: unknown = 0, ...passed: unknown[]): number {
  requireArguments(arguments.length, 1, 'setTimeout');
  return create(handler, timeout, passed, false);
}

export function setInterval(handler: unknown, timeout: unknown = 0, ...passed: unknown[]): number {
  requireArguments(arguments.length, 1, 'setInterval');
  return create(handler, timeout, passed, true);
}

export function clearTimeout(handle: unknown = 0): void {
  clear(handle);
}

export function clearInterval(handle: unknown = 0): void {
  clear(handle);
}

/** Node's own, which many packages use where they find it. */
export function setImmediate(callback: unknown, ...passed: unknown[]): number {
  if (typeof callback !== 'function') throw new TypeError('setImmediate: parameter 1 is not a function.');
  return create(callback, 0, passed, false);
}

export function clearImmediate(handle: unknown = 0): void {
  clear(handle);
}

const then = Promise.prototype.then;
const settled = Promise.resolve();

export function queueMicrotask(callback: unknown): void {
  requireArguments(arguments.length, 1, 'queueMicrotask');
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask: parameter 1 is not a function.');
  Reflect.apply(then, settled, [
    () => {
      try {
        callback();
      } catch (error) {
        reportException(error);
      }
    },
  ]);
}
