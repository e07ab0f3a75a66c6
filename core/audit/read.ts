import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type AuditEntry, readAuditLine } from './entry.ts';
import { auditFiles } from './files.ts';

export interface AuditFilter {
  /** A tool's name; a `*` at its end stands for anything. */
  readonly tool?: string;
  readonly session?: string;
  /** `ok`, an error's code, or `failed` for every error. */
  readonly outcome?: string;
  readonly since?: Date;
}

export interface ReadAuditOptions extends AuditFilter {
  /** The youngest file. */
  readonly path: string;
  /** Go on with what is written later, until `signal` aborts. @defaultValue false */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const LONGEST_LINE = 1_048_576;
const CHUNK_BYTES = 65_536;
const POLL_MS = 100;

/** Entries in the order in which they were written, rotated files first. Lines that are no entries are passed over. */
export async function* readAudit(options: ReadAuditOptions): AsyncGenerator<AuditEntry> {
  const lines = options.follow
    ? follow(options.path, options.signal)
    : readOnce(options.path, options.signal);
  for await (const line of lines) {
    const entry = readAuditLine(line);
    if (entry && matches(entry, options)) yield entry;
  }
}

function matches(entry: AuditEntry, { tool, session, outcome, since }: AuditFilter): boolean {
  if (tool !== undefined) {
    const fits = tool.endsWith('*') ? entry.tool.startsWith(tool.slice(0, -1)) : entry.tool === tool;
    if (!fits) return false;
  }
  if (session !== undefined && entry.session !== session) return false;
  if (outcome !== undefined && !(outcome === 'failed' ? entry.outcome !== 'ok' : entry.outcome === outcome))
    return false;
  return since === undefined || Date.parse(entry.time) >= since.getTime();
}

async function* readOnce(path: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  let tail: Tail | undefined;
  try {
    while (!signal?.aborted) {
      const next = await openNext(path, tail?.inode);
      if (!next) return;
      await tail?.handle.close();
      tail = next;
      yield* tail.lines(true);
    }
  } finally {
    await tail?.handle.close();
  }
}

async function* follow(path: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  let tail: Tail | undefined;
  try {
    while (!signal?.aborted) {
      // Asked before reading: once there is a younger file, nothing more is written to this one.
      const next = await openNext(path, tail?.inode);
      if (tail) yield* tail.lines(next !== undefined);
      if (!next) await pause(signal);
      else {
        await tail?.handle.close();
        tail = next;
      }
    }
  } finally {
    await tail?.handle.close();
  }
}

const MOST_TRIES = 20;

/**
 * Opens the file after the one that is being read, which stays open until then: so its inode can't be given to another
 * file. Where it is gone already, all that is left is younger.
 */
async function openNext(path: string, current: number | undefined): Promise<Tail | undefined> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const files = await auditFiles(path);
    const next = files[files.findIndex((file) => file.inode === current) + 1];
    if (!next) return undefined;
    const tail = await openTail(next.path);
    if (tail?.inode === next.inode) return tail;
    // A rotation came between: another file has the name now.
    await tail?.handle.close();
  }
  return undefined;
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await wait(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
}

interface Tail {
  readonly handle: FileHandle;
  readonly inode: number;
  /** What was added since the last time; an unended line only when there is no more to come. */
  lines(isEnd: boolean): AsyncGenerator<string>;
}

async function openTail(path: string): Promise<Tail | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const { ino } = await handle.stat();
  let rest = Buffer.alloc(0);
  let position = 0;
  return {
    handle,
    inode: ino,
    async *lines(isEnd) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
        // Split at the byte, not with readline: entries may hold U+2028.
        for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
          yield rest.toString('utf8', 0, end);
          rest = rest.subarray(end + 1);
        }
        if (rest.length > LONGEST_LINE) rest = Buffer.alloc(0);
      }
      if (isEnd && rest.length > 0) yield rest.toString('utf8');
    },
  };
}
