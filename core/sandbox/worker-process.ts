import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { encodeFrame, type Frame, FrameReader } from '../../sandbox/protocol.ts';
import { type ProcessUsage, processUsage } from './process-usage.ts';
import type { WorkerCommand } from './worker-command.ts';

/** Why the process ended, as the host saw it. */
export interface WorkerExit {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** Set when we killed it or its frames were no frames. */
  readonly cause?: string;
}

export interface WorkerEvents {
  frame(frame: Frame): void;
  /** Once, after the last frame. */
  exit(exit: WorkerExit): void;
}

/** What has crossed the pipes, whole frames with their heads. */
export interface Traffic {
  readonly framesSent: number;
  readonly bytesSent: number;
  readonly framesReceived: number;
  readonly bytesReceived: number;
}

/** One worker process and its two pipes; knows frames, not calls. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #input: Writable | undefined;
  readonly #events: WorkerEvents;
  #cause: string | undefined;
  #over = false;
  readonly #traffic = { framesSent: 0, bytesSent: 0, framesReceived: 0, bytesReceived: 0 };

  constructor(command: WorkerCommand, events: WorkerEvents) {
    this.#events = events;
    this.#child = spawn(command.file, command.args, {
      env: command.env,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    // Where no file descriptor is left there are no pipes, and 'error' follows.
    const [input, output] = this.#pipes;
    this.#input = input;
    const reader = new FrameReader();
    // A broken pipe follows a death; 'close' tells of that one with its true cause.
    input?.on('error', () => this.#child.kill('SIGKILL'));
    output?.on('error', () => this.#child.kill('SIGKILL'));
    output?.on('data', (chunk: Buffer) => this.#read(reader, chunk));
    // 'close' comes after the pipes are drained: an answer sent just before a death still counts.
    this.#child.once('close', (code, signal) => this.#end({ code, signal }));
    this.#child.once('error', () => this.#end({ code: null, signal: null }));
  }

  get #pipes(): readonly Socket[] {
    const { stdio }: { readonly stdio?: ChildProcess['stdio'] } = this.#child;
    return (stdio?.slice(3) ?? []) as Socket[]; // 'pipe' makes sockets
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Bytes that were sent and that the worker has not read yet. */
  get unreadBytes(): number {
    return this.#input?.writableLength ?? 0;
  }

  get over(): boolean {
    return this.#over;
  }

  send(kind: number, call: number, head: unknown, body = ''): void {
    if (this.#over || this.#cause !== undefined) return;
    const frame = encodeFrame(kind, call, head, body);
    this.#traffic.framesSent += 1;
    this.#traffic.bytesSent += frame.length;
    this.#input?.write(frame);
  }

  get traffic(): Traffic {
    return this.#traffic;
  }

  usage(): ProcessUsage | undefined {
    return this.pid === undefined || this.#over ? undefined : processUsage(this.pid);
  }

  /** SIGKILL: a stuck isolate answers nothing less. */
  kill(cause: string): void {
    if (this.#over) return;
    this.#cause ??= cause;
    // Whoever waits for its end must not see Node end before.
    this.#child.ref();
    for (const stream of this.#pipes) stream.ref();
    this.#child.kill('SIGKILL');
  }

  /** Lets the process of a finished host end without it. */
  unref(): void {
    this.#child.unref();
    for (const stream of this.#pipes) stream.unref();
  }

  #read(reader: FrameReader, chunk: Buffer): void {
    if (this.#over || this.#cause !== undefined) return;
    try {
      this.#traffic.bytesReceived += chunk.length;
      reader.push(chunk, (frame) => {
        this.#traffic.framesReceived += 1;
        this.#events.frame(frame);
      });
    } catch (error) {
      this.kill(`it broke the protocol: ${error instanceof Error ? error.message : 'no frame'}`);
    }
  }

  #end(exit: { code: number | null; signal: NodeJS.Signals | null }): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.exit(this.#cause === undefined ? exit : { ...exit, cause: this.#cause });
  }
}
