/**
 * Every message that crosses between the host and a worker process.
 *
 * A frame is `u32 length | u8 kind | u32 call | u32 headLength | head | body`, little endian; `length` counts what
 * follows it. `head` is JSON written by us, `body` is text that a plugin wrote or reads: routing never shares a
 * parser with a stranger's data. No line protocol: `readline` also splits at U+2028.
 */

/** Frames from the host to a worker. */
export const ToWorker = {
  load: 1,
  unload: 2,
  call: 3,
  reply: 4,
  cancel: 5,
  drop: 6,
  probe: 7,
  count: 8,
  /** Only to a worker that is made for an inspector: a message of its protocol, or the start or end of a session. */
  inspect: 9,
} as const;

/** Frames from a worker to the host. */
export const ToHost = {
  ready: 65,
  result: 66,
  hostCall: 67,
  log: 68,
  progress: 69,
  entered: 70,
  left: 71,
  counts: 72,
  inspected: 73,
} as const;

/** Largest frame in bytes, both ways; the host kills a worker that announces a larger one. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;
/** Largest head in bytes that a worker may send; those hold numbers and short names. The host's may hold a large `env`. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** Largest body in bytes of one host call's parameters. */
export const MAX_HOST_CALL_BYTES = 8 * 1024 * 1024;
/** Bytes that the parameters of all host calls of one call may have. */
export const MAX_HOST_CALL_BYTES_IN_ALL = 32 * 1024 * 1024;
/** Largest packed error in characters. */
export const MAX_THROWN_CHARS = 32 * 1024;

/**
 * An entry is interrupted by the clock, but `cpuMs` counts processor time: on a busy machine the clock runs ahead. So the
 * interrupt comes late by this factor, a call that used more than `cpuMs` fails whatever it returned, and the supervisor
 * counts from here when it waits for the interrupt.
 */
export const CLOCK_PER_CPU = 1.5;
/** Calls that may be in one worker at the same time, each in an isolate of its own. */
export const MAX_CALLS_IN_WORKER = 32;
/** Isolates that a worker keeps while nothing runs in them; warm contexts (sessions) are not among them. */
export const MAX_RESTING_ISOLATES = 8;

const HEADER_BYTES = 9;

export interface Frame {
  readonly kind: number;
  /** Call that it belongs to; for `load` and `unload` the program's number; 0 for none. */
  readonly call: number;
  /** Checked by the reader's side: {@link CallHead} and the others below. */
  readonly head: unknown;
  readonly body: string;
}

/** Largest message of the inspector's protocol in bytes, both ways; a larger one is left out. */
export const MAX_INSPECT_BYTES = 16 * 1024 * 1024;

export interface InspectHead {
  readonly what: 'open' | 'message' | 'close';
}

/** What each call of a program may use, besides its time. */
export interface ProgramLimits {
  /** Heap of the isolate, MiB. */
  readonly memoryMb: number;
  readonly cpuMs: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  readonly hostCalls: number;
}

export interface LoadHead {
  readonly limits: ProgramLimits;
}

export interface CallHead {
  /** Number of the frame on this connection, echoed in `left` and `result`. */
  readonly sequence: number;
  readonly program: number;
  /** Name of the warm context that the call runs in; absent for a fresh one. */
  readonly context?: string | undefined;
  readonly session?: string | undefined;
  /** When the call's time is over, on the clock of `monotonic.ts`: what lies in the pipe meanwhile counts. */
  readonly deadline: number;
  /** Absent: nothing is in it. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** What a worker that is made for an inspector is told instead: there, time doesn't count. */
export interface InspectLoadHead {
  readonly memoryMb: number;
  readonly resultBytes: number;
  readonly name: string;
}

export interface ReplyHead {
  readonly sequence: number;
  readonly hostCall: number;
  readonly ok: boolean;
}

export interface CancelHead {
  readonly sequence: number;
}

/** How a call ended, as the worker saw it. `late`: its time was over before it could begin. */
export type ResultForm = 'value' | 'void' | 'thrown' | 'unserialisable' | 'stopped' | 'late';

export interface ResultHead {
  /** 0 when a timer ended it. */
  readonly sequence: number;
  readonly form: ResultForm;
  /** With `stopped`: the limit. */
  readonly reason?: string;
  readonly cpuMs: number;
  readonly heapBytes: number;
}

export interface HostCallHead {
  readonly number: number;
  readonly method: string;
}

export interface LogHead {
  readonly level: string;
}

export interface LeftHead {
  readonly sequence: number;
  readonly cpuMs: number;
}

/** What an engine has made since it began: what a call costs, without a clock. */
export interface CountsHead {
  readonly isolates: number;
  readonly contexts: number;
  /** Scripts compiled, our own guest included. */
  readonly compiles: number;
}

export function encodeFrame(kind: number, call: number, head: unknown, body: string): Buffer {
  const headText = JSON.stringify(head);
  const headLength = Buffer.byteLength(headText);
  const bodyLength = Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(4 + HEADER_BYTES + headLength + bodyLength);
  frame.writeUInt32LE(HEADER_BYTES + headLength + bodyLength, 0);
  frame.writeUInt8(kind, 4);
  frame.writeUInt32LE(call, 5);
  frame.writeUInt32LE(headLength, 9);
  frame.write(headText, 13, 'utf8');
  frame.write(body, 13 + headLength, 'utf8');
  return frame;
}

/** Bytes that {@link encodeFrame} would write for a body, less the head. */
export function fitsInFrame(body: string): boolean {
  // Three bytes are the most that one UTF-16 unit takes; only long texts need counting.
  if (body.length * 3 < MAX_FRAME_BYTES - MAX_HEAD_BYTES - HEADER_BYTES) return true;
  return Buffer.byteLength(body) < MAX_FRAME_BYTES - MAX_HEAD_BYTES - HEADER_BYTES;
}

/** Cuts a byte stream into frames. Throws {@link FrameError} at the first byte that can't be right. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted = 4;
  readonly #maxHeadBytes: number;

  /** @param maxHeadBytes of one frame; a worker believes its host. */
  constructor(maxHeadBytes = MAX_HEAD_BYTES) {
    this.#maxHeadBytes = maxHeadBytes;
  }

  /** Has the beginning of a frame come whose end has not? Then chunks that were pushed are still needed. */
  get isInsideFrame(): boolean {
    return this.#bytes > 0;
  }

  push(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Joining only once a whole frame is there keeps a large body linear.
    while (this.#bytes >= this.#wanted) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks); // length checked
      const length = all.readUInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_FRAME_BYTES)
        throw new FrameError(`a frame of ${length} bytes`);
      if (all.length < 4 + length) {
        this.#chunks = [all];
        this.#wanted = 4 + length;
        return;
      }
      const rest = all.subarray(4 + length);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
      this.#wanted = 4;
      onFrame(decode(all.subarray(4, 4 + length), this.#maxHeadBytes));
    }
  }
}

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

function decode(bytes: Buffer, maxHeadBytes: number): Frame {
  const headLength = bytes.readUInt32LE(5);
  if (headLength > maxHeadBytes || HEADER_BYTES + headLength > bytes.length) {
    throw new FrameError(`a head of ${headLength} bytes`);
  }
  let head: unknown;
  try {
    head = JSON.parse(bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + headLength));
  } catch {
    throw new FrameError('a head that is no JSON');
  }
  return {
    kind: bytes.readUInt8(0),
    call: bytes.readUInt32LE(1),
    head,
    body: bytes.toString('utf8', HEADER_BYTES + headLength),
  };
}
