import { EventTarget } from './event-target.ts';
import { bridge } from './guest-bridge.ts';
import { exposeInterface } from './webidl.ts';

const key = Symbol('make');

export class Performance extends EventTarget {
  readonly #timeOrigin: number;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    super();
    this.#timeOrigin = Date.now() - bridge().now();
  }

  get timeOrigin(): number {
    return this.#timeOrigin;
  }

  now(): number {
    // A brand check: any other receiver has no such field.
    this.#timeOrigin;
    return bridge().now();
  }

  toJSON(): { timeOrigin: number } {
    return { timeOrigin: this.#timeOrigin };
  }
}

exposeInterface('Performance', Performance);

export const performance = new Performance(key);
