/** The guest's only way out. Everything that leaves or enters is a number or a string. */
import { type HostFunction, Out } from '../crossing.ts';
import {
  create,
  cut,
  NativeError,
  NativePromise,
  NativeRangeError,
  NativeTypeError,
  NativeUint8Array,
  parse,
  privateMap,
  setOwn,
  stringify,
} from './intrinsics.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Longest log text that crosses in one piece, in characters. */
const MAX_LOG_CHARS = 16_384;
const MAX_RANDOM_BYTES = 65_536;

let host: HostFunction = () => undefined;
let calls = 0;
let timers = 0;
let environment: Readonly<Record<string, string>> = create(null) as Record<string, string>; // null prototype on purpose

const waiting: Record<number, Waiting | undefined> = create(null) as Record<number, Waiting>; // as above
const firing: Record<number, (() => void) | undefined> = create(null) as Record<number, () => void>; // as above
/** Which failed host call made this error object; lets the host tell its own denial from a forged one. */
const failures = privateMap<number>();

export function connect(hostFunction: HostFunction): void {
  host = hostFunction;
}

export function send(what: number, number = 0, text = '', more = ''): unknown {
  return host(what, number, text, more);
}

export function setEnvironment(values: Readonly<Record<string, string>>): void {
  environment = values;
}

/** Plain values granted to this plugin. */
export function env(): Readonly<Record<string, string>> {
  return environment;
}

/**
 * Asks the host. Resolves with the parsed answer; rejects with an error of this realm that has the host's `name`,
 * `message` and `code`.
 */
export function hostCall(method: string, params: unknown): Promise<unknown> {
  const text = stringify(params === undefined ? null : params);
  calls += 1;
  const number = calls;
  return new NativePromise((resolve, reject) => {
    waiting[number] = { resolve, reject };
    const refusal = host(Out.hostCall, number, method, text === undefined ? 'null' : text);
    if (typeof refusal !== 'string') return;
    delete waiting[number];
    reject(new NativeRangeError(refusal));
  });
}

export function settleHostCall(number: number, ok: boolean, text: string): void {
  const entry = waiting[number];
  if (entry === undefined) return;
  delete waiting[number];
  if (ok) entry.resolve(parse(text));
  else entry.reject(errorFrom(number, parse(text) as { name: string; message: string; code?: string })); // written by our host
}

/** Forgets what earlier calls in a warm context still waited for. */
export function forgetWaiting(): void {
  for (const number in waiting) delete waiting[number];
  for (const number in firing) delete firing[number];
}

function errorFrom(number: number, failure: { name: string; message: string; code?: string }): Error {
  const Constructor =
    failure.name === 'TypeError'
      ? NativeTypeError
      : failure.name === 'RangeError'
        ? NativeRangeError
        : NativeError;
  const error = new Constructor(failure.message);
  if (error.name !== failure.name) setOwn(error, 'name', failure.name);
  if (failure.code !== undefined) setOwn(error, 'code', failure.code);
  failures.set(error, number);
  return error;
}

export function failedHostCall(error: object): number | undefined {
  return failures.get(error);
}

/** Runs `fire` once after `ms` milliseconds, in an entry of its own. */
export function startTimer(ms: number, fire: () => void): number {
  timers += 1;
  const id = timers;
  firing[id] = fire;
  const refusal = host(Out.startTimer, id, '', `${ms > 0 ? ms : 0}`);
  if (typeof refusal === 'string') {
    delete firing[id];
    throw new NativeRangeError(refusal);
  }
  return id;
}

export function stopTimer(id: number): void {
  if (firing[id] === undefined) return;
  delete firing[id];
  host(Out.stopTimer, id, '', '');
}

export function fireTimer(id: number): void {
  const fire = firing[id];
  if (fire === undefined) return;
  delete firing[id];
  fire();
}

export function log(level: LogLevel, text: string): void {
  const refusal = host(Out.log, 0, level, cut(text, MAX_LOG_CHARS));
  if (typeof refusal === 'string') throw new NativeRangeError(refusal);
}

/** At most 65536 bytes, as the Web Crypto API allows in one go. */
export function randomBytes(count: number): Uint8Array {
  const bytes = new NativeUint8Array(count > MAX_RANDOM_BYTES ? MAX_RANDOM_BYTES : count);
  const hex = host(Out.random, bytes.length, '', '') as string; // the engine answers hexadecimal text
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = (nibble(hex, index * 2) << 4) | nibble(hex, index * 2 + 1);
  }
  return bytes;
}

/** Milliseconds since this context began; monotonic. */
export function now(): number {
  return host(Out.now, 0, '', '') as number; // the engine answers a number
}

function nibble(hex: string, index: number): number {
  const character = hex[index] as string; // the engine sends two for each byte
  return character <= '9'
    ? (character as unknown as number) - 0
    : HEX_LETTERS[character as keyof typeof HEX_LETTERS]; // digits convert by subtraction
}

const HEX_LETTERS = { __proto__: null, a: 10, b: 11, c: 12, d: 13, e: 14, f: 15 } as unknown as Record<
  'a' | 'b' | 'c' | 'd' | 'e' | 'f',
  number
>; // null prototype on purpose
