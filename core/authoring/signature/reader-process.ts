import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { DerivationAnswer } from './derive.ts';
import { generatorRoot } from './generator-version.ts';
import type { SignatureRequest } from './read-signature.ts';

export interface ReaderBounds {
  /** Processor time of the process, seconds. */
  readonly cpuSeconds: number;
  /** Milliseconds for one request, whatever it does; a busy machine is slow. */
  readonly timeoutMs: number;
  /** Heap, MiB. */
  readonly heapMb: number;
}

/** What the process writes, one line a request. */
export interface ReaderLine {
  readonly answer: DerivationAnswer;
  /** Processor time since the process began, milliseconds. */
  readonly cpuMs: number;
  readonly heapBytes: number;
}

export type Reading =
  | { readonly kind: 'answered'; readonly answer: DerivationAnswer }
  /** The process has ended over it. */
  | { readonly kind: 'lost'; readonly reason: string };

type Child = ChildProcessByStdio<Writable, Readable, null>;

const MAX_ANSWER_BYTES = 1024 * 1024;
/** Share of its bounds past which a process takes no further request: the next one is to have most of them. */
const WORN_SHARE = 0.3;

/** A process that reads signatures, one at a time. It has no environment and may only read files. */
export class ReaderProcess {
  readonly #bounds: ReaderBounds;
  readonly #child: Child;
  #current: { readonly settle: (reading: Reading) => void; readonly timer: NodeJS.Timeout } | undefined;
  #text = '';
  #ended: string | undefined;
  #hasEnded = false;
  #isWorn = false;
  #answered = 0;

  constructor(bounds: ReaderBounds, confineTo: string | undefined) {
    this.#bounds = bounds;
    this.#child = start(bounds, confineTo);
    const { stdin, stdout } = this.#child;
    // Where no file descriptor is left there are no pipes, and 'error' follows.
    stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    // It may be gone before it has read anything; its exit says so.
    stdin?.on('error', () => undefined);
    this.#child.once('error', (error) => this.#over(`its types can't be read: ${error.message}`));
    this.#child.once('close', (code, signal) => this.#over(this.#explainEnd(code, signal)));
    this.#hold(false);
  }

  /** May it be given another request? */
  get isUsable(): boolean {
    return !this.#hasEnded && !this.#isWorn;
  }

  /** Has it answered a request before? Then one that it is lost over may not be the cause. */
  get isUsed(): boolean {
    return this.#answered > 0;
  }

  /** Ask only when the answer before has come. */
  ask(request: SignatureRequest): Promise<Reading> {
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#end('too long'), this.#bounds.timeoutMs);
      this.#current = { settle, timer };
      if (this.#hasEnded) return this.#over("its types can't be read: the reader has ended");
      this.#hold(true);
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #take(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_ANSWER_BYTES) return this.#end('too large');
    const end = this.#text.indexOf('\n');
    if (end < 0) return;
    const line = parse(this.#text.slice(0, end));
    this.#text = '';
    if (line === undefined) return this.#end('no answer');
    const { cpuSeconds, heapMb } = this.#bounds;
    this.#isWorn =
      line.cpuMs > cpuSeconds * 1_000 * WORN_SHARE || line.heapBytes > heapMb * 1_048_576 * WORN_SHARE;
    this.#answered += 1;
    this.#settle({ kind: 'answered', answer: line.answer });
  }

  #end(reason: string): void {
    this.#ended ??= reason;
    this.#child.kill('SIGKILL');
  }

  #over(reason: string): void {
    this.#hasEnded = true;
    this.#settle({ kind: 'lost', reason });
  }

  #settle(reading: Reading): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    clearTimeout(current.timer);
    this.#hold(false);
    current.settle(reading);
  }

  /** A reader that rests keeps nobody's process alive. */
  #hold(isHeld: boolean): void {
    const act = isHeld ? 'ref' : 'unref';
    this.#child[act]();
    // Pipes of a child are sockets; the types say only that they are streams.
    for (const pipe of [this.#child.stdin, this.#child.stdout]) (pipe as unknown as Socket | null)?.[act]();
  }

  #explainEnd(code: number | null, signal: NodeJS.Signals | null): string {
    const { cpuSeconds, heapMb } = this.#bounds;
    const instead =
      'write the types more simply, export `parameters` (zod or JSON Schema), or add a schema.json';
    if (this.#ended === 'too large') return `the schema of its types is too large: ${instead}`;
    if (this.#ended === 'too long' || signal === 'SIGKILL' || signal === 'SIGXCPU')
      return `reading its types took more than ${cpuSeconds} s: ${instead}`;
    if (signal !== null || code === 134) return `reading its types took more than ${heapMb} MB: ${instead}`;
    return `its types can't be read (the reader ended with code ${code})`;
  }
}

function start({ cpuSeconds, heapMb }: ReaderBounds, confineTo: string | undefined): Child {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = fileURLToPath(new URL(`./derive-worker.${extension}`, import.meta.url));
  // What the worker imports of our own package, and the package.json that says how.
  const readable =
    confineTo === undefined ? ['*'] : [packageRoot(), generatorRoot(), confineTo, realpathSync(confineTo)];
  const args = [
    '--permission',
    ...readable.map((dir) => `--allow-fs-read=${dir}`),
    '--no-warnings',
    `--max-old-space-size=${heapMb}`,
    worker,
  ];
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore'];
  if (process.platform === 'win32') return spawn(process.execPath, args, { env: {}, stdio });
  const script = `ulimit -c 0 2>/dev/null; ulimit -t ${cpuSeconds} 2>/dev/null; exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, ...args], { env: {}, stdio });
}

function packageRoot(): string {
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, 'package.json')) && dir !== path.dirname(dir)) dir = path.dirname(dir);
  return dir;
}

function parse(text: string): ReaderLine | undefined {
  try {
    // The worker is our own code, and runs nothing else.
    return JSON.parse(text) as ReaderLine;
  } catch {
    return undefined;
  }
}
