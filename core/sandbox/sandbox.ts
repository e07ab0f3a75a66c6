import type { Limits } from '../config/limits.ts';
import type { State } from '../plugin/manifest.ts';

/** The code of one plugin version, as the wall runs it. */
export interface SandboxProgram {
  readonly name: string;
  /** Content hash: one version, one code. */
  readonly version: string;
  /** One self-contained script (esbuild IIFE) that leaves the module's exports in `globalThis.__plugin`. */
  readonly code: string;
  readonly state: State;
  /** `dedicated`: a process that no other plugin shares (strangers' tools). */
  readonly isolation: 'shared' | 'dedicated';
}

/** What a plugin threw, packed inside the guest; every field is the plugin's word and is bounded. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** Raw stack with positions in the bundle; to be mapped through its source map. */
  readonly stack?: string;
  readonly cause?: ThrownError;
  readonly errors?: readonly ThrownError[];
  /** Number of the failed host call that made this very error object; the host knows what it answered there. */
  readonly hostCall?: number;
}

export interface GuestError {
  /** Constructor name: `Error`, `TypeError`, `AbortError`, `NotAllowedError`... */
  readonly name: string;
  readonly message: string;
  /** e.g. `ENOENT`, `permission_denied`. */
  readonly code?: string;
}

export type HostReply =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly error: GuestError };

/** A brokered call by a plugin: `method` is one of the wall's names (`fs.readFile`), `params` JSON text. */
export interface HostCall {
  readonly number: number;
  readonly method: string;
  readonly params: string;
  /** Aborted when the call that it serves ends in any way. */
  readonly signal: AbortSignal;
}

/** Answers a plugin's host calls. Never throws and never rejects. */
export type Broker = (call: HostCall) => Promise<HostReply>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface SandboxRun {
  readonly program: SandboxProgram;
  /** JSON text of the arguments object. */
  readonly argumentsJson: string;
  readonly session?: string | undefined;
  readonly limits: Limits;
  /** May a call that had begun when its worker died be run again? (`readOnly` or `idempotent`) */
  readonly repeatable: boolean;
  /** Plain values for `process.env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly broker: Broker;
  readonly signal?: AbortSignal | undefined;
  readonly onLog?: ((level: LogLevel, text: string) => void) | undefined;
  readonly onProgress?: ((json: string) => void) | undefined;
}

export interface RunUsage {
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly queuedMs: number;
  readonly hostCalls: number;
}

export type StopReason =
  | 'timeout'
  | 'cpu_limit'
  | 'memory_limit'
  | 'output_limit'
  | 'host_call_limit'
  | 'cancelled'
  | 'busy'
  | 'quarantined'
  | 'sandbox_crashed'
  | 'plugin_unavailable'
  | 'internal';

/** Exactly one of these answers each run. */
export type RunOutcome = { readonly usage: RunUsage } & (
  | { readonly kind: 'value'; readonly json: string | undefined }
  | { readonly kind: 'thrown'; readonly error: ThrownError }
  /** The value can't be written as JSON: what and where. */
  | { readonly kind: 'unserialisable'; readonly message: string; readonly path: string }
  | {
      readonly kind: 'stopped';
      readonly reason: StopReason;
      /** Had the plugin's code begun? */
      readonly started: boolean;
      /** e.g. what it was waiting on, which budget, the queue position; plain words, no paths. */
      readonly detail?: string;
    }
);

export type ProbeOutcome =
  | { readonly ok: true }
  /** The entry looped, threw, or has no default function. */
  | { readonly ok: false; readonly message: string; readonly error?: ThrownError };

/** The engine behind one small interface, so that another one can stand in. */
export interface Sandbox {
  run(run: SandboxRun): Promise<RunOutcome>;
  /** Evaluates the entry once in a throw-away context and looks for its default function. */
  probe(program: SandboxProgram, limits: Limits): Promise<ProbeOutcome>;
  /** The version is no longer called: free what it holds once calls in flight have ended. */
  retire(program: SandboxProgram): void;
  /** Lets a quarantined plugin run again. */
  release(name: string): boolean;
  quarantined(): readonly { readonly name: string; readonly reason: string }[];
  workers(): readonly { readonly pid: number; readonly calls: number; readonly rssBytes: number }[];
  close(): Promise<void>;
}
