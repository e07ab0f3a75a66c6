/** `node:fs/promises` over the bridge: every call asks the host, which holds it against the plugin's grant. */
import { decodeBase64, encodeBase64 } from '../web/base64.ts';
import type { GuestBridge } from '../web/guest-bridge.ts';
import { decodeFile, type Encoding, encodeFile, toEncoding } from './fs-encoding.ts';
import { toPath } from './fs-path.ts';
import { type DirentRecord, makeDirent, makeStats, type StatsRecord } from './fs-types.ts';

type Options = Readonly<Record<string, unknown>>;

/** Access modes of `node:fs`. */
export const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1 } as const;

function toOptions(options: unknown): Options {
  if (typeof options === 'string') return { encoding: options };
  // Any object can be read by key.
  return typeof options === 'object' && options !== null ? (options as Options) : {};
}

function argumentError(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' });
}

function notSupported(what: string): Error {
  return Object.assign(new Error(`${what} is not supported for plugins.`), { code: 'ENOSYS' });
}

function checkSignal(options: Options): void {
  const { signal } = options;
  if (typeof signal === 'object' && signal !== null && Reflect.get(signal, 'aborted') === true) {
    throw Reflect.get(signal, 'reason');
  }
}

function encodingOf(options: Options, fallback: Encoding | undefined): Encoding | undefined {
  const { encoding } = options;
  if (encoding === undefined || encoding === null || encoding === 'buffer') return fallback;
  const found = toEncoding(encoding);
  if (found !== undefined) return found;
  throw Object.assign(new TypeError(`The encoding "${String(encoding)}" is unknown.`), {
    code: 'ERR_INVALID_ARG_VALUE',
  });
}

async function toBytes(data: unknown, encoding: Encoding): Promise<Uint8Array> {
  if (typeof data === 'string') return encodeFile(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (
    typeof data === 'object' &&
    data !== null &&
    (Symbol.asyncIterator in data || Symbol.iterator in data)
  ) {
    return collect(data as AsyncIterable<unknown>, encoding); // by the check
  }
  throw argumentError(
    'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.',
  );
}

async function collect(data: AsyncIterable<unknown>, encoding: Encoding): Promise<Uint8Array> {
  const pieces: number[] = [];
  for await (const piece of data) for (const byte of await toBytes(piece, encoding)) pieces.push(byte);
  return Uint8Array.from(pieces);
}

export function makeFs(bridge: GuestBridge): object {
  const call = (method: string, params: object): Promise<unknown> => bridge.hostCall(`fs.${method}`, params);
  const write = async (
    method: 'writeFile' | 'appendFile',
    file: unknown,
    data: unknown,
    options: unknown,
  ) => {
    const path = toPath(file);
    const settings = toOptions(options);
    checkSignal(settings);
    const { flag } = settings;
    const kind = flag === undefined || flag === null ? { method } : kindOfFlag(flag);
    const bytes = await toBytes(data, encodingOf(settings, 'utf8') ?? 'utf8');
    await call(kind.method, {
      path,
      data: encodeBase64(bytes),
      ...(kind.exclusive ? { exclusive: true } : {}),
    });
  };

  const fs = {
    async readFile(file: unknown, options?: unknown): Promise<unknown> {
      const path = toPath(file);
      const settings = toOptions(options);
      checkSignal(settings);
      const encoding = encodingOf(settings, undefined);
      const { data } = (await call('readFile', { path })) as { data: string }; // the broker's answer
      const bytes = decodeBase64(data) ?? new Uint8Array();
      return encoding === undefined ? asBuffer(bytes) : decodeFile(bytes, encoding);
    },
    async writeFile(file: unknown, data: unknown, options?: unknown): Promise<void> {
      await write('writeFile', file, data, options);
    },
    async appendFile(file: unknown, data: unknown, options?: unknown): Promise<void> {
      await write('appendFile', file, data, options);
    },
    async readdir(directory: unknown, options?: unknown): Promise<unknown[]> {
      const path = toPath(directory);
      const { recursive, withFileTypes } = toOptions(options);
      const params = recursive === true ? { path, recursive: true } : { path };
      const entries = (await call('readdir', params)) as DirentRecord[]; // the broker's answer
      if (withFileTypes === true) return entries.map(makeDirent);
      return entries.map((entry) => relativeName(path, entry));
    },
    async stat(file: unknown): Promise<object> {
      return makeStats((await call('stat', { path: toPath(file) })) as StatsRecord); // the broker's answer
    },
    async lstat(file: unknown): Promise<object> {
      return makeStats((await call('lstat', { path: toPath(file) })) as StatsRecord); // the broker's answer
    },
    async mkdir(directory: unknown, options?: unknown): Promise<unknown> {
      const recursive = toOptions(options).recursive === true;
      const made = await call('mkdir', { path: toPath(directory), ...(recursive ? { recursive } : {}) });
      return typeof made === 'string' ? made : undefined;
    },
    async rm(file: unknown, options?: unknown): Promise<void> {
      const { recursive, force } = toOptions(options);
      await call('rm', { path: toPath(file), recursive: recursive === true, force: force === true });
    },
    async unlink(file: unknown): Promise<void> {
      await call('rm', { path: toPath(file) });
    },
    async rename(from: unknown, to: unknown): Promise<void> {
      await call('rename', { from: toPath(from), to: toPath(to) });
    },
    async access(file: unknown, mode?: unknown): Promise<void> {
      await call('access', { path: toPath(file), ...(typeof mode === 'number' ? { mode } : {}) });
    },
    async copyFile(from: unknown, to: unknown, mode: unknown = 0): Promise<void> {
      const [source, target] = [toPath(from), toPath(to)];
      const { data } = (await call('readFile', { path: source })) as { data: string }; // the broker's answer
      const exclusive = mode === constants.COPYFILE_EXCL ? { exclusive: true } : {};
      await call('writeFile', { path: target, data, ...exclusive });
    },
    constants,
    ...unsupported(),
  };

  return fs;
}

function kindOfFlag(flag: unknown): { method: 'writeFile' | 'appendFile'; exclusive?: boolean } {
  switch (flag) {
    case 'w':
      return { method: 'writeFile' };
    case 'a':
      return { method: 'appendFile' };
    case 'wx':
    case 'xw':
      return { method: 'writeFile', exclusive: true };
    case 'ax':
    case 'xa':
      return { method: 'appendFile', exclusive: true };
    default:
      throw notSupported(`The file flag "${String(flag)}"`);
  }
}

/** In a bundle that brings Buffer along, files come as Buffers, as in Node. */
function asBuffer(bytes: Uint8Array): unknown {
  const Buffer: unknown = Reflect.get(globalThis, 'Buffer');
  const from: unknown = typeof Buffer === 'function' ? Reflect.get(Buffer, 'from') : undefined;
  return typeof from === 'function' ? Reflect.apply(from, Buffer, [bytes.buffer]) : bytes;
}

function relativeName(root: string, entry: DirentRecord): string {
  const base = root.replace(/\/+$/, '');
  const parent = entry.parent.replace(/\/+$/, '');
  return parent.startsWith(`${base}/`) ? `${parent.slice(base.length + 1)}/${entry.name}` : entry.name;
}

/** The rest of the module exists, so that a call says what is wrong instead of "is not a function". */
function unsupported(): Record<string, () => Promise<never>> {
  const names = [
    'open',
    'watch',
    'symlink',
    'link',
    'readlink',
    'realpath',
    'chmod',
    'chown',
    'utimes',
    'truncate',
    'mkdtemp',
    'opendir',
    'cp',
    'glob',
    'rmdir',
    'statfs',
  ];
  return Object.fromEntries(
    names.map((name) => [name, () => Promise.reject(notSupported(`node:fs/promises ${name}()`))]),
  );
}
