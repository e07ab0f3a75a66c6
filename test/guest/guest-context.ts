import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import { createSandbox } from '../../core/sandbox/create-sandbox.ts';
import type { Broker, LogLevel, Sandbox, ThrownError } from '../../core/sandbox/sandbox.ts';
import { program } from '../sandbox/programs.ts';

export interface GuestOptions {
  readonly broker?: Broker;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLog?: (level: LogLevel, text: string) => void;
  readonly signal?: AbortSignal;
}

/** A real sandbox in which pieces of script run, each in a context of its own. */
export class Guest {
  readonly #sandbox: Sandbox;
  #programs = 0;

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  static async open(): Promise<Guest> {
    const sandbox = await createSandbox({
      workers: 1,
      maxProcesses: 1,
      idleMs: 60_000,
      workerMemoryMb: 512,
      jitless: 'never',
      quarantine: { deaths: 3, windowMs: 60_000 },
    });
    return new Guest(sandbox);
  }

  /** Runs the body of an async function and returns what it returned, as JSON carries it. */
  async run(body: string, options: GuestOptions = {}): Promise<unknown> {
    const { broker = denied, env = {}, ...rest } = options;
    this.#programs += 1;
    const outcome = await this.#sandbox.run({
      // As the bundler does for code that names it.
      program: program(
        `guest_${this.#programs}`,
        `const process = globalThis[Symbol.for('glovebox.process')];\n${body}`,
      ),
      argumentsJson: '{}',
      limits: { ...DEFAULT_LIMITS, timeoutMs: 20_000, cpuMs: 10_000, memoryMb: 128, resultBytes: 8_000_000 },
      repeatable: false,
      env,
      broker,
      ...rest,
    });
    if (outcome.kind === 'value') return outcome.json === undefined ? undefined : JSON.parse(outcome.json);
    if (outcome.kind === 'thrown') throw new GuestFailure(outcome.error);
    throw new Error(`guest ${outcome.kind}: ${JSON.stringify(outcome)}`);
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }
}

/** What the script threw. */
export class GuestFailure extends Error {
  readonly thrown: ThrownError;

  constructor(thrown: ThrownError) {
    super(`${thrown.name}: ${thrown.message}\n${thrown.stack ?? ''}`);
    this.thrown = thrown;
  }
}

const denied: Broker = async (call) => ({
  ok: false,
  error: { name: 'NotAllowedError', message: `${call.method} is not granted`, code: 'permission_denied' },
});
