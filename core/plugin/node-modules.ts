import { createRequire } from 'node:module';

/** Built-ins that are pure and that unenv has in full. */
const PURE = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'constants',
  'diagnostics_channel',
  'events',
  'path',
  'path/posix',
  'path/win32',
  'punycode',
  'querystring',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'timers',
  'timers/promises',
  'url',
  'util',
  'util/types',
]);

export type BuiltIn =
  /** The file of unenv that stands in for it. */
  | { readonly kind: 'file'; readonly path: string }
  /** A module whose source is this: it hands on what the guest installed. */
  | { readonly kind: 'source'; readonly source: string }
  | { readonly kind: 'impossible'; readonly reason: string };

const FILES = `const files = globalThis[Symbol.for('glovebox.fs')];`;
const FILE_NAMES = 'readFile writeFile appendFile readdir stat lstat mkdir rm rename access unlink'.split(
  ' ',
);
const FILE_EXPORTS = `export const { ${FILE_NAMES.join(', ')} } = files;`;

const SOURCES: Readonly<Record<string, string>> = {
  'fs/promises': `${FILES}\n${FILE_EXPORTS}\nexport default files;`,
  fs: `${FILES}\nexport const promises = files;\nexport default { promises: files };`,
  process:
    'const process = globalThis.process;\nexport const { env, nextTick, platform, version, versions } = process;\nexport default process;',
  crypto:
    'const crypto = globalThis.crypto;\nexport const webcrypto = crypto;\nexport const { subtle } = crypto;\nexport const randomUUID = () => crypto.randomUUID();\nexport const getRandomValues = (array) => crypto.getRandomValues(array);\nexport default { webcrypto: crypto, subtle, randomUUID, getRandomValues };',
};

const REASONS: Readonly<Record<string, string>> = {
  child_process: 'a plugin can start no process',
  cluster: 'a plugin can start no process',
  dgram: 'a plugin has no sockets; use fetch',
  dns: 'the host resolves names; use fetch',
  http: 'a plugin has no sockets; use fetch',
  http2: 'a plugin has no sockets; use fetch',
  https: 'a plugin has no sockets; use fetch',
  net: 'a plugin has no sockets; use fetch',
  tls: 'a plugin has no sockets; use fetch',
  vm: 'a plugin runs in an isolate already',
  worker_threads: 'a plugin can start no thread',
};

const require = createRequire(import.meta.url);

/** What an import of a Node built-in means in a plugin; undefined for a name that is none. */
export function builtIn(specifier: string, isBuiltin: (name: string) => boolean): BuiltIn | undefined {
  if (!isBuiltin(specifier)) return undefined;
  const name = specifier.replace(/^node:/, '');
  const source = SOURCES[name];
  if (source !== undefined) return { kind: 'source', source };
  if (PURE.has(name)) return { kind: 'file', path: require.resolve(`unenv/node/${name}`) };
  const reason = REASONS[name.split('/')[0] ?? name] ?? 'it needs what an isolate does not have';
  return { kind: 'impossible', reason };
}
