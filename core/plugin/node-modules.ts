import { createRequire, isBuiltin } from 'node:module';

/** Built-ins that are pure and that unenv has, but for rare functions that say so when they are called. */
const PURE = new Set([
  'assert',
  'async_hooks',
  'assert/strict',
  'buffer',
  'constants',
  'diagnostics_channel',
  'os',
  'path',
  'path/posix',
  'path/win32',
  'punycode',
  'querystring',
  'stream/web',
  'timers',
  'timers/promises',
  'url',
  'util',
  'util/types',
]);

/**
 * Packages that are Node's own code. unenv's streams and decoder are empty shells, and its emitter is a class, which streams and old
 * packages (`EventEmitter.call(this)`) can't inherit from.
 */
const PACKAGES: Readonly<Record<string, string>> = {
  events: 'events/events.js',
  stream: 'readable-stream/lib/ours/browser.js',
  'stream/promises': 'readable-stream/lib/stream/promises.js',
  string_decoder: 'string_decoder/lib/string_decoder.js',
};

export type BuiltIn =
  /** The file of a library that stands in for it. */
  | { readonly kind: 'file'; readonly path: string }
  /** A module whose source is this: it hands on what the guest installed. */
  | { readonly kind: 'source'; readonly source: string }
  | { readonly kind: 'impossible'; readonly reason: string };

const FILE_NAMES = [
  'access',
  'appendFile',
  'constants',
  'copyFile',
  'lstat',
  'mkdir',
  'readFile',
  'readdir',
  'rename',
  'rm',
  'stat',
  'unlink',
  'writeFile',
];
const FILES = `const files = globalThis[Symbol.for('glovebox.fs')] ?? {};`;

const SOURCES: Readonly<Record<string, string>> = {
  'fs/promises': `${FILES}
export const { ${FILE_NAMES.join(', ')} } = files;
export default files;`,
  fs: `${FILES}
export const promises = files;
export const constants = files.constants;
export default { promises: files, constants: files.constants };`,
  process: `const process = globalThis[Symbol.for('glovebox.process')];
export const { argv, cwd, emitWarning, env, hrtime, nextTick, platform, stderr, stdout, version, versions } = process;
export default process;`,
  crypto: `const crypto = globalThis.crypto;
export const webcrypto = crypto;
export const { subtle } = crypto;
export const randomUUID = () => crypto.randomUUID();
export const getRandomValues = (array) => crypto.getRandomValues(array);
export default { webcrypto: crypto, subtle, randomUUID, getRandomValues };`,
  console: 'const { console } = globalThis;\nexport default console;',
  perf_hooks: 'export const { performance } = globalThis;\nexport default { performance };',
  'stream/consumers': `const read = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(typeof part === 'string' ? new TextEncoder().encode(part) : part);
  return new Blob(parts);
};
export const blob = read;
export const arrayBuffer = async (stream) => (await read(stream)).arrayBuffer();
export const text = async (stream) => (await read(stream)).text();
export const json = async (stream) => JSON.parse(await text(stream));
export default { arrayBuffer, blob, json, text };`,
};

/** What the stand-ins themselves import and the guest has already. */
const SHIMS: Readonly<Record<string, string>> = {
  'process/': "module.exports = globalThis[Symbol.for('glovebox.process')];",
  'abort-controller':
    'module.exports = { AbortController: globalThis.AbortController, AbortSignal: globalThis.AbortSignal };',
};

const REASONS: Readonly<Record<string, string>> = {
  child_process: 'a plugin can start no process',
  cluster: 'a plugin can start no process',
  dgram: 'a plugin has no sockets; use fetch',
  dns: 'the host resolves names; use fetch',
  http: 'a plugin has no sockets; use fetch',
  http2: 'a plugin has no sockets; use fetch',
  https: 'a plugin has no sockets; use fetch',
  module: 'a plugin is one bundle: use import',
  net: 'a plugin has no sockets; use fetch',
  sqlite: 'a plugin has no database; use ctx.storage',
  tls: 'a plugin has no sockets; use fetch',
  vm: 'a plugin runs in an isolate already',
  wasi: 'WebAssembly is not there',
  worker_threads: 'a plugin can start no thread',
  zlib: 'use CompressionStream and DecompressionStream',
};

const require = createRequire(import.meta.url);

/** What an import of a Node built-in means in a plugin; undefined for a name that is none. */
export function builtIn(specifier: string): BuiltIn | undefined {
  if (!isBuiltin(specifier)) return undefined;
  const name = specifier.replace(/^node:/, '');
  const source = SOURCES[name];
  if (source !== undefined) return { kind: 'source', source };
  const file = PACKAGES[name];
  if (file !== undefined) return { kind: 'file', path: require.resolve(file) };
  if (PURE.has(name)) return { kind: 'file', path: require.resolve(`unenv/node/${name}`) };
  const reason = REASONS[name.split('/')[0] ?? name] ?? 'it needs what an isolate does not have';
  return { kind: 'impossible', reason };
}

/** A file of each library that stands in for built-ins, absolute. */
export function standInFiles(): readonly string[] {
  return [...Object.values(PACKAGES), 'unenv/node/util'].map((file) => require.resolve(file));
}

/** What a stand-in for a built-in gets for this import, where that differs from what a plugin gets. */
export function builtInOfStandIn(specifier: string): BuiltIn | undefined {
  if (Object.hasOwn(SHIMS, specifier)) return { kind: 'source', source: SHIMS[specifier] ?? '' };
  return undefined;
}
