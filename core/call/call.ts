import type { Tool } from '../catalog/tool.ts';
import type { AskForApproval } from '../permissions/approval.ts';
import type { CapabilityUse } from '../permissions/broker.ts';
import type { Broker, GuestError, LogLevel } from '../sandbox/sandbox.ts';
import type { Eventually } from './eventually.ts';
import type { Redact } from './result/redact-value.ts';
import type { ErrorCode, Issue, Outcome, Repair, Usage } from './result.ts';

/** One call, as a model, a program or another tool sends it. */
export interface CallRequest {
  readonly name: string;
  /** The arguments object, or the raw text that a model wrote for it. */
  readonly arguments?: unknown;
  /** The caller's own id of the call; echoed in the result. */
  readonly id?: string;
  /** Calls of one session share state, views and `read_more` handles. One of more than 256 characters goes by its hash. */
  readonly session?: string;
  readonly signal?: AbortSignal;
  /** Why the model stopped writing, as its API said it: `length` and `max_tokens` mean that it was cut. */
  readonly finishReason?: string;
  /** The tools whose calls led to this one, outermost first. */
  readonly chain?: readonly string[];
  /** Progress that the tool reports while it runs. */
  readonly onProgress?: (value: unknown) => void;
  /** What the tool logs while it runs, redacted. */
  readonly onLog?: (level: LogLevel, text: string) => void;
  /** Asks this caller for approvals, for the call and for those that it leads to. @defaultValue the host's `onApproval` */
  readonly ask?: AskForApproval;
  /** The tools that this caller may see; any other is unknown to it. @defaultValue all */
  readonly view?: CallView;
}

/** A view, or a toolset over one. */
export interface CallView {
  /** May it be called, by its own name? */
  has(name: string): boolean;
  names(): readonly string[];
  list(): readonly Tool[];
}

/** What the parts around the executor learn of a call. */
export interface CallContext {
  readonly id?: string | undefined;
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly chain: readonly string[];
  /** See {@link CallRequest.ask}. */
  readonly ask?: AskForApproval | undefined;
  /** The arguments as they will run, every digit kept. */
  readonly argumentsJson: string;
}

export type Lookup =
  | { readonly kind: 'tool'; readonly tool: Tool }
  /** It exists but can't be called now; `reason` is read by the model. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly visible: readonly string[] };

export interface Validator {
  /** What is wrong with a value; empty when nothing is. Never changes it. */
  validate(value: unknown): readonly Issue[];
}

/** A schema that reads well, and that no validator can be made of. */
export interface Uncompilable {
  /** In plain words. */
  readonly uncompilable: string;
}

export type Approval =
  | { readonly kind: 'approved' }
  | { readonly kind: 'refused'; readonly reason?: string }
  | { readonly kind: 'timed_out' };

export type Authorisation =
  | {
      readonly kind: 'granted';
      readonly env: Readonly<Record<string, string>>;
      readonly broker: Broker;
      /** What the broker answered to that host call, if it was an error: this is how a denial is known from a forged one. */
      readonly hostError?: (number: number) => GuestError | undefined;
      /** Takes the secrets in use out of a text. */
      readonly redact?: Redact;
      /** What was used and refused so far. */
      readonly uses?: () => readonly CapabilityUse[];
    }
  | { readonly kind: 'denied'; readonly reason: string };

/** What the audit writes of one call. */
export interface CallRecord {
  readonly id?: string;
  readonly session?: string;
  readonly chain: readonly string[];
  readonly tool: { readonly name: string; readonly version?: string; readonly origin?: Tool['origin'] };
  /** As they ran, or the raw text (at most 10,000 characters) where they could not be read. */
  readonly arguments: string;
  readonly repairs: readonly Repair[];
  readonly approval?: Approval['kind'];
  readonly uses: readonly CapabilityUse[];
  readonly ok: boolean;
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly outcome: Outcome;
    readonly repeats?: number;
  };
  readonly contentChars: number;
  readonly truncated: boolean;
  readonly usage: Usage;
}

export interface ExecutorDependencies {
  lookup(name: string, session: string | undefined, view: CallView | undefined): Lookup;
  /** The compiled schema of one tool version. */
  validatorFor(tool: Tool, part: 'parameters' | 'returns'): Eventually<Validator | Uncompilable>;
  /** Asks whoever must be asked; a tool that needs no approval is approved. Absent: all are. */
  approve?(tool: Tool, args: Readonly<Record<string, unknown>>, call: CallContext): Eventually<Approval>;
  authorise(tool: Tool, call: CallContext): Eventually<Authorisation>;
  /** No call waits for it. */
  audit?(record: CallRecord): void;
  log?(tool: Tool, call: CallContext, level: LogLevel, text: string): void;
  /** A fault of the runtime itself, for its operator; the model only learns that there was one. */
  fault?(stage: string, error: unknown): void;
  /** Milliseconds, monotonic. @defaultValue `performance.now` */
  now?(): number;
}
