import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEntry } from './entry.ts';
import { rotatedPath } from './files.ts';

export interface AuditLogOptions {
  /** The youngest file; older ones get `.1`, `.2`... behind it. */
  readonly path: string;
  /** Bytes after which a file is put aside. @defaultValue 10485760 */
  readonly maxBytes?: number;
  /** Files that are kept, the youngest included. @defaultValue 5 */
  readonly maxFiles?: number;
  /** Trouble with the disk; told once for each run of it. */
  readonly onProblem?: (message: string) => void;
}

/** An entry that is made when it is written. */
export interface PendingEntry {
  readonly make: () => AuditEntry;
  /** Characters that it holds in memory until then, about. */
  readonly chars: number;
}

/** Appends entries in the order of `write`, in the background. */
export interface AuditLog {
  /** Returns at once. Whoever answers a call leaves the making to the log, which does it after the answer. */
  write(entry: AuditEntry | PendingEntry): void;
  /** Resolves when all that was written so far is in the file, or could not be put there. */
  flush(): Promise<void>;
  /** Flushes and lets go of the file. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 10_485_760;
const DEFAULT_MAX_FILES = 5;
/** Lines that wait for a slow disk, in characters; what comes beyond it is counted, and the count is written. */
const MOST_WAITING_CHARS = 16_777_216;
const BATCH_CHARS = 262_144;
/** How long the first entry waits for company, milliseconds: a write takes as much processor time as a call. */
const GATHER_MS = 50;
const RETRIES = 3;
const RETRY_PAUSE_MS = 50;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const file = createAppender(options);
  let waiting: Waiting[] = [];
  let waitingChars = 0;
  let dropped = 0;
  let closed = false;
  let pump: Promise<void> | undefined;
  let inTrouble = false;
  /** How many wait for all to be written. */
  let flushing = 0;
  let endGathering: (() => void) | undefined;

  function report(error: unknown): void {
    if (inTrouble) return;
    inTrouble = true;
    options.onProblem?.(`the audit can't be written: ${error instanceof Error ? error.message : 'unknown'}`);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      if (flushing === 0 && waitingChars < BATCH_CHARS) await gather();
      const batch = takeBatch();
      for (let attempt = 1; ; attempt += 1) {
        try {
          await file.append(batch);
          inTrouble = false;
          break;
        } catch (error) {
          report(error);
          if (attempt === RETRIES) {
            dropped += batch.length;
            break;
          }
          await wait(RETRY_PAUSE_MS);
        }
      }
    }
  }

  function gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function takeBatch(): string[] {
    const batch: string[] = [];
    // What an entry is made of counts as well: a batch of long ones would hold everybody up.
    let taken = 0;
    let count = 0;
    for (const { line, chars } of waiting) {
      if (taken >= BATCH_CHARS) break;
      batch.push(lineOf(line));
      taken += chars;
      waitingChars -= chars;
      count += 1;
    }
    waiting = waiting.slice(count);
    return batch;
  }

  /** An entry that can't be made is missing like one that can't be written. */
  function lineOf(line: () => string): string {
    try {
      return line();
    } catch (error) {
      report(error);
      dropped += 1;
      return '';
    }
  }

  function push(entry: Waiting): void {
    waiting.push(entry);
    waitingChars += entry.chars;
    start();
  }

  function start(): void {
    pump ??= drain().finally(() => {
      pump = undefined;
      // A line may have come between the last look and now.
      if (waiting.length > 0) start();
    });
  }

  /** Says in the file itself that lines are missing. */
  function tellDropped(): void {
    if (dropped === 0) return;
    push(written(`${JSON.stringify({ time: new Date().toISOString(), dropped })}\n`));
    dropped = 0;
  }

  async function flush(): Promise<void> {
    flushing += 1;
    endGathering?.();
    while (pump) await pump;
    flushing -= 1;
  }

  return {
    write(entry) {
      if (closed) return;
      let next = 'make' in entry ? pending(entry) : written(toLine(entry));
      // Made now, it is short.
      if (waitingChars + next.chars > MOST_WAITING_CHARS) next = written(lineOf(next.line));
      if (waitingChars + next.chars > MOST_WAITING_CHARS) {
        dropped += 1;
        return;
      }
      tellDropped();
      push(next);
    },
    flush,
    async close() {
      closed = true;
      await flush();
      tellDropped();
      await flush();
      await file.close();
    },
  };
}

/** A line that waits for the disk, or for being made. */
interface Waiting {
  readonly line: () => string;
  readonly chars: number;
}

function written(line: string): Waiting {
  return { line: () => line, chars: line.length };
}

/** What an entry holds besides its arguments, in characters. */
const ENTRY_CHARS = 500;

function pending({ make, chars }: PendingEntry): Waiting {
  return { line: () => toLine(make()), chars: chars + ENTRY_CHARS };
}

function toLine(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function createAppender({
  path,
  maxBytes = DEFAULT_MAX_BYTES,
  maxFiles = DEFAULT_MAX_FILES,
}: AuditLogOptions) {
  let handle: FileHandle | undefined;

  async function ready(): Promise<{ readonly handle: FileHandle; readonly size: number }> {
    if (handle) {
      const [mine, now] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
      // Another process of this host may have put the file aside.
      if (now && now.ino === mine.ino && now.dev === mine.dev) return { handle, size: mine.size };
      await close();
    }
    await mkdir(dirname(path), { recursive: true });
    handle = await open(path, 'a+', 0o600);
    const { size } = await handle.stat();
    return { handle, size: size + (await endLastLine(handle, size)) };
  }

  async function close(): Promise<void> {
    const closing = handle;
    handle = undefined;
    await closing?.close();
  }

  async function rotate(): Promise<void> {
    await close();
    if (maxFiles <= 1) return unlink(path);
    for (let number = maxFiles - 1; number > 0; number -= 1) {
      // Renaming onto the oldest removes it.
      await rename(rotatedPath(path, number - 1), rotatedPath(path, number)).catch(() => undefined);
    }
  }

  return {
    close,
    async append(lines: readonly string[]): Promise<void> {
      let part: string[] = [];
      let { handle: current, size } = await ready();
      for (const line of lines) {
        const bytes = Buffer.byteLength(line);
        if (size > 0 && size + bytes > maxBytes) {
          await current.appendFile(part.join(''));
          part = [];
          await rotate();
          ({ handle: current, size } = await ready());
        }
        part.push(line);
        size += bytes;
      }
      await current.appendFile(part.join(''));
    },
  };
}

/** A line that a crash cut short must not swallow the next one. */
async function endLastLine(handle: FileHandle, size: number): Promise<number> {
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  if (last[0] === 0x0a) return 0;
  await handle.appendFile('\n');
  return 1;
}
