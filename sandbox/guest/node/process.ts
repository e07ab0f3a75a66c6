import type { GuestBridge } from '../web/guest-bridge.ts';

const NANOSECONDS_PER_MS = 1e6;

/**
 * As much of Node's `process` as packages touch on their way. There is no `versions.node`: a package that looks for
 * Node finds none and takes its web path.
 */
export function makeProcess(bridge: GuestBridge): object {
  const process = {
    title: 'glovebox',
    platform: 'glovebox',
    arch: 'none',
    version: 'v24.0.0',
    versions: {},
    release: { name: 'glovebox' },
    argv: [] as string[],
    argv0: '',
    execArgv: [] as string[],
    execPath: '',
    pid: 1,
    ppid: 0,
    exitCode: undefined,
    env: makeEnv(bridge),
    browser: false,
    cwd: () => '/',
    chdir: refuse('process.chdir'),
    exit: refuse('process.exit'),
    abort: refuse('process.abort'),
    kill: refuse('process.kill'),
    umask: () => 0o22,
    uptime: () => bridge.now() / 1_000,
    hrtime: makeHrtime(bridge),
    memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
    nextTick: (callback: (...passed: unknown[]) => void, ...passed: unknown[]): void => {
      queueMicrotask(() => callback(...passed));
    },
    emitWarning: (warning: unknown): void => bridge.log('warn', String(warning)),
    stdout: makeOutput((text) => bridge.log('info', text)),
    stderr: makeOutput((text) => bridge.log('error', text)),
    ...makeEmitter(),
  };
  Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
  return process;
}

/**
 * Only what was granted; a change is the plugin's own and, as in Node, a string. A plugin is loaded before its first
 * call, which brings the values, so they are taken over at the first look after that.
 */
function makeEnv(bridge: GuestBridge): object {
  const values: Record<PropertyKey, string> = {};
  let taken: Readonly<Record<string, string>> = {};
  const upToDate = (): Record<PropertyKey, string> => {
    const given = bridge.env();
    if (given !== taken) {
      for (const name of Object.keys(taken)) if (!(name in given)) delete values[name];
      Object.assign(values, given);
      taken = given;
    }
    return values;
  };
  return new Proxy(values, {
    get: (_target, key) => Reflect.get(upToDate(), key),
    has: (_target, key) => Reflect.has(upToDate(), key),
    ownKeys: () => Reflect.ownKeys(upToDate()),
    getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(upToDate(), key),
    deleteProperty: (_target, key) => Reflect.deleteProperty(upToDate(), key),
    set(_target, key, value) {
      if (typeof key === 'symbol' || typeof value === 'symbol')
        throw new TypeError('Cannot convert a symbol to a string');
      upToDate()[key] = String(value);
      return true;
    },
  });
}

function refuse(what: string): () => never {
  return () => {
    throw new Error(`${what} is not available to a plugin.`);
  };
}

function makeHrtime(bridge: GuestBridge): object {
  const hrtime = (since?: readonly [number, number]): [number, number] => {
    const nanoseconds = Math.round(bridge.now() * NANOSECONDS_PER_MS);
    let seconds = Math.floor(nanoseconds / 1e9);
    let rest = nanoseconds % 1e9;
    if (since !== undefined) {
      seconds -= since[0];
      rest -= since[1];
      if (rest < 0) {
        seconds -= 1;
        rest += 1e9;
      }
    }
    return [seconds, rest];
  };
  return Object.assign(hrtime, { bigint: () => BigInt(Math.round(bridge.now() * NANOSECONDS_PER_MS)) });
}

function makeOutput(write: (text: string) => void): object {
  return {
    isTTY: false,
    write(text: unknown): boolean {
      write(String(text).replace(/\n$/, ''));
      return true;
    },
  };
}

/** Process events never come here; listening for them does no harm. */
function makeEmitter(): object {
  const self = function (this: unknown): unknown {
    return this;
  };
  return {
    on: self,
    once: self,
    off: self,
    addListener: self,
    removeListener: self,
    removeAllListeners: self,
    prependListener: self,
    emit: () => false,
    listeners: () => [],
    listenerCount: () => 0,
  };
}

declare function queueMicrotask(callback: () => void): void;
