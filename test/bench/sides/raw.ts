import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { bundleGuest } from '../../../core/sandbox/worker-bundle.ts';
import type { EnterFunction, HostFunction } from '../../../sandbox/crossing.ts';

const engine = createRequire(import.meta.url)('isolated-vm') as typeof ivm; // a CommonJS addon

const MEMORY_MB = 64;
const ADD_ONE = '(function (n) { return n + 1; })';

/** isolated-vm with nothing around it. Each function answers `n + 1`. */
export interface Raw {
  call(n: number): number;
  dispose(): void;
}

/** One context for all calls: a single apply. */
export function rawApply(): Raw {
  const isolate = new engine.Isolate({ memoryLimit: MEMORY_MB });
  const context = isolate.createContextSync();
  const add = context.evalSync(ADD_ONE, { reference: true }) as ivm.Reference<(n: number) => number>; // the source above
  return {
    call: (n) => add.applySync(undefined, [n], { timeout: 1_000 }),
    dispose: () => isolate.dispose(),
  };
}

/** An isolate and a context a call. */
export function rawIsolate(): Raw {
  return {
    call(n) {
      const isolate = new engine.Isolate({ memoryLimit: MEMORY_MB });
      const answer = answerIn(isolate.createContextSync(), isolate.compileScriptSync(ADD_ONE), n);
      isolate.dispose();
      return answer;
    },
    dispose: () => {},
  };
}

/** A context a call, with the built-ins of JavaScript and nothing else. */
export function rawContext(): Raw {
  const isolates = new Isolates(undefined);
  return {
    call(n) {
      const { isolate, script } = isolates.next();
      const context = isolate.createContextSync();
      const answer = answerIn(context, script, n);
      context.release();
      return answer;
    },
    dispose: () => isolates.dispose(),
  };
}

/** A context a call from a startup snapshot that holds what a plugin finds in ours: `fetch`, `URL`, timers... */
export async function rawSnapshotContext(): Promise<Raw> {
  const code = `globalThis.install = (function () {\n${await bundleGuest()}\n;return __guest.install;\n})();`;
  const isolates = new Isolates(engine.Isolate.createSnapshot([{ code, filename: 'guest' }]));
  const host = new engine.Callback(() => undefined);
  return {
    call(n) {
      const { isolate, script } = isolates.next();
      const context = isolate.createContextSync();
      const install = context.global.getSync('install', { reference: true }) as ivm.Reference<
        (host: HostFunction) => EnterFunction
      >; // what main.ts exports
      // Arrives in the context as a function; the types know it only as a Callback.
      install.applySync(undefined, [host as never], { result: { reference: true } }).release();
      install.release();
      const answer = answerIn(context, script, n);
      context.release();
      return answer;
    },
    dispose: () => isolates.dispose(),
  };
}

function answerIn(context: ivm.Context, script: ivm.Script, n: number): number {
  const add = script.runSync(context, { reference: true }) as ivm.Reference<(n: number) => number>; // ADD_ONE
  const answer = add.applySync(undefined, [n], { timeout: 1_000 });
  add.release();
  return answer;
}

/** Contexts are collected late, so every way of making many of them has to give up an isolate now and then. */
class Isolates {
  readonly #snapshot: ivm.ExternalCopy<ArrayBuffer> | undefined;
  #current: { readonly isolate: ivm.Isolate; readonly script: ivm.Script } | undefined;
  #uses = 0;

  constructor(snapshot: ivm.ExternalCopy<ArrayBuffer> | undefined) {
    this.#snapshot = snapshot;
  }

  next(): { readonly isolate: ivm.Isolate; readonly script: ivm.Script } {
    if (this.#uses % 64 === 0) this.dispose();
    this.#uses += 1;
    this.#current ??= this.#open();
    return this.#current;
  }

  dispose(): void {
    this.#current?.isolate.dispose();
    this.#current = undefined;
  }

  #open() {
    const snapshot = this.#snapshot;
    const isolate = new engine.Isolate({ memoryLimit: MEMORY_MB, ...(snapshot && { snapshot }) });
    return { isolate, script: isolate.compileScriptSync(ADD_ONE) };
  }
}

export const RAW = {
  apply: rawApply,
  isolate: rawIsolate,
  context: rawContext,
  snapshot: rawSnapshotContext,
} as const;
export type RawKind = keyof typeof RAW;
