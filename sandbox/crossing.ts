/**
 * The numbers that cross between the engine and the guest's bridge inside one isolate.
 * Both directions carry only numbers and strings.
 */

/** The engine enters the guest. */
export const Enter = { load: 1, call: 2, reply: 3, fail: 4, timer: 5, abort: 6, rehearse: 7 } as const;

/** The guest calls out. The engine answers with a primitive or not at all. */
export const Out = {
  value: 1,
  nothing: 2,
  thrown: 3,
  unserialisable: 4,
  hostCall: 5,
  log: 6,
  progress: 7,
  startTimer: 8,
  stopTimer: 9,
  random: 10,
  now: 11,
  loaded: 12,
} as const;

/** What stands for a thrown value that can't be packed. */
export const UNREADABLE_ERROR = '{"name":"Error","message":"an error that could not be read"}';

/** `(what, number, text, more)`; see {@link Out}. */
export type HostFunction = (what: number, number: number, text: string, more: string) => unknown;

/** `(what, number, text, more)`; see {@link Enter}. Never throws on purpose and returns nothing. */
export type EnterFunction = (
  what: number,
  number: number,
  text: string,
  more: string,
  loader?: unknown,
) => void;
