/** What the guest's standard API needs of the bridge: the only way out of the isolate, strings only. */
export interface GuestBridge {
  /** Rejects with an Error of this realm that has `name`, `message` and perhaps `code`. */
  hostCall(method: string, params: unknown): Promise<unknown>;
  /** Calls `fire` once, after at least `milliseconds`. */
  startTimer(milliseconds: number, fire: () => void): number;
  stopTimer(id: number): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void;
  randomBytes(count: number): Uint8Array;
  /** Milliseconds since the context began, monotonic. */
  now(): number;
  /** Plain values that `process.env` may show. */
  env(): Readonly<Record<string, string>>;
}

let current: GuestBridge | undefined;

export function setBridge(bridge: GuestBridge): void {
  current = bridge;
}

export function bridge(): GuestBridge {
  if (current === undefined) throw new Error('The standard API is not installed yet.');
  return current;
}
