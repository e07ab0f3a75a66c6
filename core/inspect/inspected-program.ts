import {
  type Frame,
  type InspectLoadHead,
  MAX_INSPECT_BYTES,
  ToHost,
  ToWorker,
} from '../../sandbox/protocol.ts';
import type { Limits } from '../config/limits.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import type { HostReply, RunOutcome, SandboxRun } from '../sandbox/sandbox.ts';
import { locateWorker } from '../sandbox/worker-bundle.ts';
import { workerCommand } from '../sandbox/worker-command.ts';
import {
  checkHostCallHead,
  checkLevel,
  checkResultHead,
  isJson,
  readThrown,
  readUnserialisable,
} from '../sandbox/worker-messages.ts';
import { WorkerProcess } from '../sandbox/worker-process.ts';
import { debuggableCode } from './debuggable-code.ts';

/** Room for DevTools' own view of the heap besides the plugin's. */
const PROCESS_MEMORY_MB = 2_048;

interface Running {
  readonly id: number;
  readonly request: SandboxRun;
  readonly ending: AbortController;
  readonly startedAt: number;
  hostCalls: number;
  readonly settle: (outcome: RunOutcome) => void;
}

/** One plugin version in a process of its own, to which an inspector may be attached. One call at a time, no deadline. */
export class InspectedProgram {
  readonly #plugin: PluginVersion;
  readonly #limits: Limits;
  #process: Promise<WorkerProcess> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #running: Running | undefined;
  #lastId = 0;
  #isOpen = false;
  /** What the inspector is told. */
  onMessage: ((text: string) => void) | undefined;
  /** The process has ended: so has the session. */
  onGone: (() => void) | undefined;

  constructor(plugin: PluginVersion, limits: Limits) {
    this.#plugin = plugin;
    this.#limits = limits;
  }

  /** Never rejects. */
  run(request: SandboxRun): Promise<RunOutcome> {
    const waitedFrom = performance.now();
    const outcome = this.#turn.then(() => this.#run(request, waitedFrom));
    this.#turn = outcome;
    return outcome;
  }

  /** Begins a session anew; breakpoints can be set before the first call. */
  async attach(): Promise<void> {
    const worker = await this.#worker();
    this.#isOpen = true;
    worker.send(ToWorker.inspect, 0, { what: 'open' });
  }

  async send(message: string): Promise<void> {
    if (!this.#isOpen || Buffer.byteLength(message) > MAX_INSPECT_BYTES) return;
    (await this.#worker()).send(ToWorker.inspect, 0, { what: 'message' }, message);
  }

  async detach(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    (await this.#process)?.send(ToWorker.inspect, 0, { what: 'close' });
  }

  /** Ends once the calls that began with it have ended. */
  async retire(): Promise<void> {
    await this.#turn;
    await this.close();
  }

  async close(): Promise<void> {
    (await this.#process?.catch(() => undefined))?.kill('it is not inspected any more');
  }

  #worker(): Promise<WorkerProcess> {
    this.#process ??= this.#start();
    return this.#process;
  }

  async #start(): Promise<WorkerProcess> {
    const [file, code] = await Promise.all([locateWorker('inspect-worker'), debuggableCode(this.#plugin)]);
    const command = workerCommand(file, { memoryMb: PROCESS_MEMORY_MB, jitless: false });
    const worker = new WorkerProcess(command, {
      frame: (frame) => this.#receive(worker, frame),
      exit: () => this.#gone(),
    });
    worker.unref();
    const name = this.#plugin.manifest.name.replace(/[^\w.-]/g, '_');
    const { memoryMb, resultBytes } = this.#limits;
    const head: InspectLoadHead = { memoryMb, resultBytes, name };
    worker.send(ToWorker.load, 1, head, code);
    return worker;
  }

  #gone(): void {
    this.#process = undefined;
    this.#isOpen = false;
    this.#stop('sandbox_crashed');
    this.onGone?.();
  }

  async #run(request: SandboxRun, waitedFrom: number): Promise<RunOutcome> {
    if (request.signal?.aborted === true) return stopped('cancelled', false);
    let worker: WorkerProcess;
    try {
      worker = await this.#worker();
    } catch {
      return stopped('internal', false);
    }
    // An inspector may hold it for hours; nothing else keeps Node alive meanwhile.
    const alive = setInterval(() => {}, 1 << 30);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    this.#running = {
      ...{ id, request, ending: new AbortController(), hostCalls: 0, settle: resolve },
      startedAt: performance.now() - waitedFrom,
    };
    const cancel = () => worker.send(ToWorker.cancel, id, { sequence: id });
    request.signal?.addEventListener('abort', cancel, { once: true });
    const { program, session, env } = request;
    const context =
      program.state === 'plugin'
        ? 'plugin'
        : program.state === 'session' && session !== undefined
          ? `session:${session}`
          : undefined;
    const head = {
      ...{ sequence: id, program: 1, deadline: Number.MAX_SAFE_INTEGER, env },
      ...(context === undefined ? {} : { context }),
      ...(session === undefined ? {} : { session }),
    };
    worker.send(ToWorker.call, id, head, request.argumentsJson);
    try {
      return await promise;
    } finally {
      clearInterval(alive);
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  /** It runs the operator's own code; what it says is checked all the same. */
  #receive(worker: WorkerProcess, frame: Frame): void {
    if (frame.kind === ToHost.inspected) {
      if (this.#isOpen) this.onMessage?.(frame.body);
      return;
    }
    const running = this.#running;
    if (running === undefined || frame.call !== running.id) return;
    const { request } = running;
    if (frame.kind === ToHost.log) return request.onLog?.(checkLevel(frame.head), frame.body);
    if (frame.kind === ToHost.progress)
      return isJson(frame.body) ? request.onProgress?.(frame.body) : undefined;
    if (frame.kind === ToHost.hostCall) return void this.#answer(worker, running, frame);
    if (frame.kind !== ToHost.result) return;
    const { form, reason, cpuMs, heapBytes } = checkResultHead(frame.head);
    const usage = { cpuMs, heapBytes, queuedMs: running.startedAt, hostCalls: running.hostCalls };
    if (form === 'stopped')
      return this.#settle({ kind: 'stopped', reason: reason ?? 'internal', started: true, usage });
    if (form === 'thrown') return this.#settle({ kind: 'thrown', error: readThrown(frame.body), usage });
    if (form === 'unserialisable')
      return this.#settle({ kind: 'unserialisable', ...readUnserialisable(frame.body), usage });
    const json = form === 'void' ? undefined : frame.body;
    if (json !== undefined && !isJson(json)) return this.#stop('internal');
    this.#settle({ kind: 'value', json, usage });
  }

  async #answer(worker: WorkerProcess, running: Running, frame: Frame): Promise<void> {
    const { number, method } = checkHostCallHead(frame.head);
    running.hostCalls += 1;
    const call = { number, method, params: frame.body, signal: running.ending.signal };
    const reply = await running.request
      .broker(call)
      .catch(
        (): HostReply => ({ ok: false, error: { name: 'Error', message: 'the host could not do this' } }),
      );
    if (this.#running !== running) return;
    const body = reply.ok ? reply.json : JSON.stringify(reply.error);
    worker.send(ToWorker.reply, running.id, { sequence: 0, hostCall: number, ok: reply.ok }, body);
  }

  #stop(reason: 'sandbox_crashed' | 'internal'): void {
    this.#settle({ kind: 'stopped', reason, started: true, usage: NO_USAGE });
  }

  #settle(outcome: RunOutcome): void {
    const running = this.#running;
    this.#running = undefined;
    running?.ending.abort();
    running?.settle(outcome);
  }
}

function stopped(reason: 'cancelled' | 'internal', started: boolean): RunOutcome {
  return { kind: 'stopped', reason, started, usage: NO_USAGE };
}
