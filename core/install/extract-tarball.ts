import { createReadStream } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { type Allowance, MAX_BYTES } from './caps.ts';
import { failed, type Refusal, reasonOf } from './outcome.ts';

const GZIP_MAGIC = [0x1f, 0x8b];
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Headers and padding come on top of the files. */
const MAX_UNPACKED_BYTES = MAX_BYTES + 64 * 1024 * 1024;
const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile']);
const FOLDERS: ReadonlySet<string> = new Set(['Directory', 'GNUDumpDir']);

/** What ends the unpacking; a stream's error carries it out. */
class Stop extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Unpacks regular files and folders and nothing else. One link, device or path that leads out refuses the whole
 * tarball: no honest package has them. Owners, modes and times are not taken over.
 */
export async function extractTarball(
  file: string,
  to: string,
  allowance: Allowance,
  signal?: AbortSignal,
): Promise<Refusal | undefined> {
  let writing: Promise<void> = Promise.resolve();
  const parser = new Parser({ strict: true });
  const stop = new AbortController();
  parser.on('entry', (entry) => {
    // Entries come one after the other, each when the one before was read.
    writing = writing.then(() => takeEntry(entry, to, allowance));
    writing.catch((error: unknown) => stop.abort(error));
  });
  try {
    const ending = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
    const input = createReadStream(file);
    const unzip = (await isGzip(file)) ? [createGunzip()] : [];
    const interrupted = aborted(ending);
    interrupted.catch(() => undefined);
    const ended = new Promise<void>((resolve, reject) => {
      parser.on('end', resolve);
      parser.on('error', reject);
    });
    await Promise.all([
      pipeline([input, ...unzip, bound(MAX_UNPACKED_BYTES), plain(), feed(parser)], { signal: ending }),
      Promise.race([ended, interrupted]),
    ]);
    await writing;
    return undefined;
  } catch (error) {
    await writing.catch(() => undefined);
    const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
    if (cause instanceof Stop) return cause.refusal;
    return signal?.aborted ? failed('interrupted') : failed(`it can't be unpacked (${reasonOf(cause)})`);
  }
}

async function takeEntry(entry: ReadEntry, to: string, allowance: Allowance): Promise<void> {
  const segments = segmentsOf(entry.path);
  const shown = entry.path.slice(0, 200);
  const refuse = (message: string): never => {
    throw new Stop(failed(message));
  };
  if (segments === undefined) return refuse(`the tarball holds a path that leads out of it: ${shown}`);
  const name = segments.join('/');
  const tooMany = allowance.takeEntry(name);
  if (tooMany !== undefined) throw new Stop(tooMany);
  const target = path.join(to, ...segments);
  if (FOLDERS.has(entry.type)) {
    entry.resume();
    await mkdir(target, { recursive: true });
    return;
  }
  if (!FILES.has(entry.type))
    return refuse(`the tarball holds a ${kindWord(entry.type)} (${shown}); only files and folders are taken`);
  const tooLarge = allowance.takeBytes(entry.size ?? 0);
  if (tooLarge !== undefined) throw new Stop(tooLarge);
  await mkdir(path.dirname(target), { recursive: true });
  const bytes = await entry.concat();
  await writeFile(target, bytes, { flag: 'wx', mode: 0o644 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') refuse(`the tarball holds ${shown} twice`);
    throw error;
  });
}

/** The path's parts, or undefined when it is absolute, leads upwards, or is spelled to be read in two ways. */
function segmentsOf(name: string): string[] | undefined {
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0') || /^[A-Za-z]:/.test(name))
    return undefined;
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.includes('..') ? undefined : segments;
}

function kindWord(type: string): string {
  if (type === 'SymbolicLink' || type === 'Link') return 'link';
  return type.endsWith('Device') || type === 'FIFO' ? 'device or pipe' : type;
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    return GZIP_MAGIC.every((byte, index) => buffer[index] === byte);
  } finally {
    await handle.close();
  }
}

/** A gigabyte of zeros fits into a megabyte of gzip. */
function bound(most: number): Transform {
  let left = most;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      left -= chunk.length;
      if (left < 0) next(new Stop(failed(`it unpacks to more than ${most / 1024 / 1024} MiB`)));
      else next(null, chunk);
    },
  });
}

/** The parser would unpack once more what is packed within, and of that nobody counts the bytes. */
function plain(): Transform {
  let head: Buffer | undefined = Buffer.alloc(0);
  const isPacked = (bytes: Buffer) =>
    [GZIP_MAGIC, ZSTD_MAGIC].some((magic) => magic.every((byte, index) => bytes[index] === byte));
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      if (head === undefined) return next(null, chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < ZSTD_MAGIC.length) return next();
      if (isPacked(head)) return next(new Stop(failed('it is packed in another way than by one gzip')));
      const whole = head;
      head = undefined;
      next(null, whole);
    },
    flush(next) {
      next(null, head);
    },
  });
}

/** The parser is a stream of an older make: it takes chunks, and says when it can take more. */
function feed(parser: Parser): Writable {
  let isOver = false;
  parser.once('eof', () => {
    isOver = true;
  });
  return new Writable({
    write(chunk: Buffer, _encoding, next) {
      // What follows the end it would keep, and copy anew with each chunk.
      if (isOver || parser.write(chunk)) next();
      else parser.once('drain', () => next());
    },
    final(next) {
      parser.end();
      next();
    },
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
