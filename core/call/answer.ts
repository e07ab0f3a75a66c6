import type { Tool } from '../catalog/tool.ts';
import type { CapabilityUse } from '../permissions/broker.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import type { RunUsage } from '../sandbox/sandbox.ts';
import type { Approval, CallRecord, CallRequest } from './call.ts';
import { errorContent } from './errors/error-table.ts';
import { type Eventually, whenThere } from './eventually.ts';
import { minimalExample } from './minimal-example.ts';
import { cutText } from './result/cut-text.ts';
import type { Redact } from './result/redact-value.ts';
import type { ShapedResult } from './result/shape-result.ts';
import type { CallFailure, CallResult, CallSuccess, ErrorCode, Repair, ToolError, Usage } from './result.ts';
import { identify, printName, type Runtime, reportFault, tellListener } from './runtime.ts';

/** What is learned of a call on its way; whoever ends it reports what there is. */
export interface Trace {
  readonly startedAt: number;
  tool?: Tool;
  /** Has the tool's code been asked to run? */
  began: boolean;
  repairs: readonly Repair[];
  argumentsJson?: string;
  approval?: Approval['kind'];
  usage?: RunUsage;
  redact?: Redact | undefined;
  uses?: (() => readonly CapabilityUse[]) | undefined;
  /** See `identify`. */
  key?: string;
  /** The call failed too often before and was not run this time. */
  stopped?: { readonly code: ErrorCode; readonly count: number } | undefined;
}

export type Ending =
  | { readonly ok: true; readonly shaped: Extract<ShapedResult, { kind: 'success' }> }
  | { readonly ok: false; readonly error: ToolError };

/** The last step of every call: repeats are counted, the answer is written, the audit gets its record. */
export function answerCall(
  runtime: Runtime,
  request: CallRequest,
  trace: Trace,
  ending: Ending,
  onRecord: ((record: CallRecord) => void) | undefined,
): Eventually<CallResult> {
  const base = {
    ...(request.id === undefined ? {} : { id: request.id }),
    tool: describeTool(request, trace),
    ...(trace.repairs.length === 0 ? {} : { repairs: trace.repairs }),
    usage: usageOf(runtime, trace),
  };
  const answered: Eventually<CallResult> = ending.ok
    ? success(runtime, request, trace, base, ending)
    : failure(runtime, request, trace, base, ending.error);
  return whenThere(answered, (result) => {
    audit(runtime, request, trace, result, onRecord);
    return result;
  });
}

type Base = Omit<CallSuccess, 'ok' | 'content' | 'value' | 'parts' | 'truncated'>;

function success(
  runtime: Runtime,
  request: CallRequest,
  trace: Trace,
  base: Base,
  ending: Extract<Ending, { ok: true }>,
): CallSuccess {
  if (runtime.repeats.isWatching) runtime.repeats.succeeded(identify(runtime, request, trace));
  return { ok: true, ...ending.shaped.shown, ...base };
}

/** Failures of the moment: sending the same call again is the right thing to do. */
const NOT_COUNTED: ReadonlySet<ErrorCode> = new Set(['busy', 'cancelled']);

async function failure(
  runtime: Runtime,
  request: CallRequest,
  trace: Trace,
  base: Base,
  error: ToolError,
): Promise<CallFailure> {
  const counted = await countFailure(runtime, request, trace, error);
  const content = boundContent(errorContent(runtime.catalogue, counted));
  return { ok: false, content, error: counted, ...base };
}

async function countFailure(
  runtime: Runtime,
  request: CallRequest,
  trace: Trace,
  error: ToolError,
): Promise<ToolError> {
  const { catalogue, repeats } = runtime;
  if (NOT_COUNTED.has(error.code)) return error;
  const count =
    trace.stopped === undefined
      ? repeats.failed(identify(runtime, request, trace), error.code)
      : trace.stopped.count;
  if (count < repeats.tellAt && trace.stopped === undefined) return error;
  const told = trace.stopped === undefined ? [error.hint, catalogue.repeated(count)] : [error.hint];
  const example = await exampleOf(runtime, trace);
  const hint = [...told, example === undefined ? undefined : catalogue.example(example)].filter(
    (line) => line !== undefined,
  );
  return { ...error, ...(hint.length === 0 ? {} : { hint: hint.join('\n') }), repeats: count };
}

async function exampleOf(runtime: Runtime, { tool }: Trace): Promise<string | undefined> {
  if (tool === undefined) return undefined;
  try {
    const validator = await runtime.dependencies.validatorFor(tool, 'parameters');
    if ('uncompilable' in validator) return undefined;
    return minimalExample(tool.manifest, (value) => validator.validate(value).length === 0);
  } catch (error) {
    reportFault(runtime, 'example', error);
    return undefined;
  }
}

/** Errors are short; this holds for the one whose issues quote long texts. */
const MAX_ERROR_CHARS = 8_000;

function boundContent(content: string): string {
  if (content.length <= MAX_ERROR_CHARS) return content;
  return cutText(content, { chars: MAX_ERROR_CHARS }, ({ head, tail }) => `${head}[...]\n${tail}`);
}

function describeTool(request: CallRequest, { tool }: Trace): CallResult['tool'] {
  return tool === undefined
    ? { name: printName(request.name) }
    : { name: tool.manifest.name, version: tool.version };
}

function usageOf(runtime: Runtime, { startedAt, usage = NO_USAGE }: Trace): Usage {
  const { cpuMs, heapBytes, queuedMs, hostCalls } = usage;
  return { wallMs: Math.max(0, runtime.now() - startedAt), cpuMs, heapBytes, queuedMs, hostCalls };
}

function audit(
  runtime: Runtime,
  request: CallRequest,
  trace: Trace,
  result: CallResult,
  onRecord: ((record: CallRecord) => void) | undefined,
): void {
  const { dependencies } = runtime;
  if (dependencies.audit === undefined && onRecord === undefined) return;
  tellListener(runtime, 'audit', () => {
    const record = recordOf(runtime, request, trace, result);
    onRecord?.(record);
    return dependencies.audit?.(record);
  });
}

const MAX_RAW_CHARS = 10_000;

function recordOf(runtime: Runtime, request: CallRequest, trace: Trace, result: CallResult): CallRecord {
  const redact = trace.redact ?? runtime.options.redact;
  const written = trace.argumentsJson ?? rawArguments(request.arguments);
  const { id, session, chain = [] } = request;
  return {
    ...(id === undefined ? {} : { id }),
    ...(session === undefined ? {} : { session }),
    // Copies: what was is written later, and the caller may do with its own as it likes.
    chain: [...chain],
    tool: { ...result.tool, ...(trace.tool === undefined ? {} : { origin: trace.tool.origin }) },
    arguments: redact?.(written) ?? written,
    repairs: trace.repairs.map((repair) => ({ ...repair })),
    ...(trace.approval === undefined ? {} : { approval: trace.approval }),
    uses: trace.uses?.() ?? [],
    ok: result.ok,
    ...(result.ok ? {} : { error: errorOf(result.error) }),
    contentChars: result.content.length,
    truncated: result.ok && result.truncated !== undefined,
    usage: { ...result.usage },
  };
}

function errorOf({ code, message, outcome, repeats }: ToolError): NonNullable<CallRecord['error']> {
  return { code, message, outcome, ...(repeats === undefined ? {} : { repeats }) };
}

function rawArguments(input: unknown): string {
  if (typeof input === 'string') return beginningOf(input);
  try {
    return beginningOf(JSON.stringify(input) ?? '');
  } catch {
    return '';
  }
}

/** A text of its own: a slice would keep the whole of a long one in memory. */
function beginningOf(text: string): string {
  return text.length <= MAX_RAW_CHARS ? text : JSON.parse(JSON.stringify(text.slice(0, MAX_RAW_CHARS)));
}
