import { exposeInterface } from './webidl.ts';

const key = Symbol('make');

export class Navigator {
  readonly #userAgent: string;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    this.#userAgent = 'Glovebox';
  }

  get userAgent(): string {
    return this.#userAgent;
  }
}

exposeInterface('Navigator', Navigator);

export const navigator = new Navigator(key);
