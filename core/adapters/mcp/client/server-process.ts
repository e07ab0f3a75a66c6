import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProcessOptions {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds that a server has to end by itself once its input ends, and again after SIGTERM. */
const GRACE_MS = 1_000;
/** What is kept of the last that it wrote to stderr, characters. */
const STDERR_CHARS = 2_000;

/** Groups that live; a host that ends in any orderly way takes them along. */
const groups = new Set<number>();
process.on('exit', () => {
  for (const pid of groups) killGroup(pid, 'SIGKILL');
});

/** A server's process and all that it starts: one process group, which ends as a whole. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  #stderr = '';
  #reason = 'it ended';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#reason = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
        this.#killRest();
        resolve();
      });
    });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  }

  /** Rejects where the program can't be started. */
  static async start({ file, args, cwd, env }: ProcessOptions): Promise<ServerProcess> {
    const child = spawn(file, [...args], {
      cwd,
      env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot, ...env } : env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    // First of all: without file descriptors it fails with no pipe made, and an error that nobody hears ends the host.
    const spawned = once(child, 'spawn');
    const started = hasPipes(child) ? new ServerProcess(child) : undefined;
    await spawned;
    if (started === undefined) throw new Error('it has no pipes');
    if (child.pid !== undefined) groups.add(child.pid);
    return started;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** How it ended, and the last line that it wrote to stderr. */
  get reason(): string {
    const last = this.#stderr.trim().split('\n').at(-1)?.trim() ?? '';
    return last === '' ? this.#reason : `${this.#reason}; the last it said: ${last.slice(0, 300)}`;
  }

  /** Politely, then not. */
  async end(): Promise<void> {
    this.child.stdin.end();
    if (!(await this.#within(GRACE_MS))) {
      killGroup(this.pid, 'SIGTERM');
      if (!(await this.#within(GRACE_MS))) {
        killGroup(this.pid, 'SIGKILL');
        await this.exited;
      }
    }
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream.destroy();
  }

  async #within(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    const inTime = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }

  #killRest(): void {
    const { pid } = this;
    if (pid === undefined) return;
    killGroup(pid, 'SIGKILL');
    groups.delete(pid);
  }
}

/** Node's types promise the pipes, which are not there where there was no descriptor left for them. */
function hasPipes({ stdin, stdout, stderr }: Partial<ChildProcessWithoutNullStreams>): boolean {
  return stdin !== undefined && stdout !== undefined && stderr !== undefined;
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
