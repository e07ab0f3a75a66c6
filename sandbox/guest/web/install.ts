import { type GuestBridge, setBridge } from './guest-bridge.ts';
import { defineLazy, type LazyEntry } from './lazy.ts';
import { modules } from './modules.ts';

type ModuleName = keyof typeof modules;

/** Interface objects and singletons, by the module that holds them; not enumerable, as Web IDL has it. */
const INTERFACES: readonly (readonly [ModuleName, readonly string[]])[] = [
  ['abort', ['AbortController', 'AbortSignal']],
  ['blob', ['Blob', 'File']],
  ['compression', ['CompressionStream', 'DecompressionStream']],
  ['console', ['console']],
  ['crypto', ['Crypto', 'CryptoKey', 'SubtleCrypto']],
  ['domException', ['DOMException']],
  ['encoding', ['TextDecoder', 'TextEncoder']],
  ['encodingStreams', ['TextDecoderStream', 'TextEncoderStream']],
  ['event', ['CustomEvent', 'ErrorEvent', 'Event']],
  ['eventTarget', ['EventTarget']],
  ['formData', ['FormData']],
  ['headers', ['Headers']],
  ['messageEvent', ['MessageEvent', 'PromiseRejectionEvent']],
  ['messagePort', ['MessageChannel', 'MessagePort']],
  ['navigator', ['Navigator']],
  ['performance', ['Performance']],
  ['request', ['Request']],
  ['response', ['Response']],
  [
    'streams',
    [
      'ByteLengthQueuingStrategy',
      'CountQueuingStrategy',
      'ReadableByteStreamController',
      'ReadableStream',
      'ReadableStreamBYOBReader',
      'ReadableStreamBYOBRequest',
      'ReadableStreamDefaultController',
      'ReadableStreamDefaultReader',
      'TransformStream',
      'TransformStreamDefaultController',
      'WritableStream',
      'WritableStreamDefaultController',
      'WritableStreamDefaultWriter',
    ],
  ],
  ['url', ['URL']],
  ['urlPattern', ['URLPattern']],
  ['urlSearchParams', ['URLSearchParams']],
];

/** Operations and attributes of the global object; enumerable, as Web IDL has it. */
const OPERATIONS: readonly (readonly [ModuleName, readonly string[]])[] = [
  ['base64', ['atob', 'btoa']],
  ['crypto', ['crypto']],
  ['fetch', ['fetch']],
  ['navigator', ['navigator']],
  ['performance', ['performance']],
  ['structuredClone', ['structuredClone']],
  [
    'timers',
    [
      'clearImmediate',
      'clearInterval',
      'clearTimeout',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ],
  ],
  ['eventTarget', ['addEventListener', 'dispatchEvent', 'removeEventListener']],
  ['reportError', ['reportError']],
];

function entriesFor(
  table: readonly (readonly [ModuleName, readonly string[]])[],
  enumerable: boolean,
): LazyEntry[] {
  const entries: LazyEntry[] = [];
  for (const [moduleName, names] of table) {
    for (const name of names)
      entries.push([name, () => named(Reflect.get(modules[moduleName](), name), name), enumerable]);
  }
  return entries;
}

/** Minifying takes the names of functions away. */
function named(value: unknown, name: string): unknown {
  if (typeof value === 'function') Object.defineProperty(value, 'name', { value: name, configurable: true });
  return value;
}

/** Puts the web's standard globals on the global object; each is made at its first use. */
export function installWebGlobals(global: object, bridge: GuestBridge): void {
  setBridge(bridge);
  defineLazy(global, entriesFor(INTERFACES, false));
  defineLazy(global, entriesFor(OPERATIONS, true));
  Object.defineProperties(global, {
    self: { value: global, writable: true, enumerable: true, configurable: true },
    onerror: { value: null, writable: true, enumerable: true, configurable: true },
  });
}

/** The guest's own AbortController, whatever plugin code has made of the global one. */
export function makeAbortController(): import('./abort.ts').AbortController {
  return new (modules.abort().AbortController)();
}
