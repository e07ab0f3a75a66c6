import type { ToolRun } from '../../catalog/tool.ts';
import type { GuestError, LogLevel } from '../../sandbox/sandbox.ts';

export interface CalledTool {
  readonly ok: boolean;
  readonly content: string;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a function tool gets beside its arguments. */
export interface FunctionContext {
  /** Aborted at the deadline, and when the caller cancels. */
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  readonly log: (level: LogLevel, text: string) => void;
  /** Reports progress to the caller; any JSON value. */
  readonly progress: (value: unknown) => void;
  readonly tools: {
    /** Calls another tool, within the same policy as this call's. Rejects when the policy forbids it. */
    readonly call: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<CalledTool>;
  };
}

export interface HostCalls {
  readonly context: FunctionContext;
  readonly count: () => number;
  /** The number of the host call that failed with exactly this error. */
  readonly numberOf: (thrown: object) => number | undefined;
}

export function createFunctionContext(run: ToolRun, signal: AbortSignal): HostCalls {
  let calls = 0;
  const failed = new WeakMap<object, number>();
  const callTool = async (
    name: string,
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<CalledTool> => {
    calls += 1;
    const number = calls;
    const reply = await run.broker({
      number,
      method: 'tools.call',
      params: JSON.stringify({ name, arguments: args }),
      signal,
    });
    if (reply.ok) return JSON.parse(reply.json) as CalledTool; // our own broker's answer
    const error = errorFrom(reply.error);
    failed.set(error, number);
    throw error;
  };
  const context: FunctionContext = {
    signal,
    session: run.session,
    log: (level, text) => run.onLog?.(level, text),
    progress: (value) => {
      const json: string | undefined = JSON.stringify(value);
      if (json !== undefined) run.onProgress?.(json);
    },
    tools: { call: callTool },
  };
  return { context, count: () => calls, numberOf: (thrown) => failed.get(thrown) };
}

function errorFrom({ name, message, code }: GuestError): Error {
  return Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
}
