import type { Tool, ToolOutcome } from '../catalog/tool.ts';
import { answerCall, type Ending, type Trace } from './answer.ts';
import { type ReadArguments, readArguments } from './arguments/read-arguments.ts';
import type {
  Authorisation,
  CallContext,
  CallRecord,
  CallRequest,
  ExecutorDependencies,
  Validator,
} from './call.ts';
import { detailLine } from './errors/classify-thrown.ts';
import { toolError } from './errors/error-table.ts';
import { outcomeError } from './errors/outcome-error.ts';
import { CATALOGUES } from './messages/catalogues.ts';
import { createRepeats } from './repeats.ts';
import type { Redact } from './result/redact-value.ts';
import { redactValue } from './result/redact-value.ts';
import { shapeResult } from './result/shape-result.ts';
import { createTextStore } from './result/text-store.ts';
import type { CallResult, Issue, ToolError } from './result.ts';
import { type ExecutorOptions, identify, limitOf, printName, type Runtime, reportFault } from './runtime.ts';
import { suggestNames } from './suggest-names.ts';

export interface Executor {
  /** Runs one call to its one answer. Never throws and never rejects. */
  call(request: CallRequest, onRecord?: (record: CallRecord) => void): Promise<CallResult>;
}

export function createExecutor(dependencies: ExecutorDependencies, options: ExecutorOptions = {}): Executor {
  const now = (): number => dependencies.now?.() ?? performance.now();
  const runtime: Runtime = {
    dependencies,
    options,
    catalogue: CATALOGUES[options.locale ?? 'en'],
    store: options.store ?? createTextStore({ now }),
    repeats: createRepeats(options.repeats ?? {}, now),
    now,
  };
  return { call: (request, onRecord) => executeCall(runtime, request, onRecord) };
}

type Step<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ToolError };
type Granted = Extract<Authorisation, { kind: 'granted' }>;

async function executeCall(
  runtime: Runtime,
  request: CallRequest,
  onRecord: ((record: CallRecord) => void) | undefined,
): Promise<CallResult> {
  const trace: Trace = { startedAt: runtime.now(), began: false, repairs: [] };
  let ending: Ending;
  try {
    ending = await runStages(runtime, request, trace);
  } catch (error) {
    reportFault(runtime, 'call', error);
    const effects = { outcome: trace.began ? 'unknown' : 'did_not_run' } as const;
    ending = {
      ok: false,
      error: toolError(runtime.catalogue, 'internal', { tool: printName(request.name) }, effects),
    };
  }
  return answerCall(runtime, request, trace, ending, onRecord);
}

/** The whole way of a call. It goes straight on, or ends with the first step that fails. */
async function runStages(runtime: Runtime, request: CallRequest, trace: Trace): Promise<Ending> {
  const found = findTool(runtime, request, trace);
  if (!found.ok) return found;
  const tool = found.value;
  const compiled = await compileSchemas(runtime, tool);
  if (!compiled.ok) return compiled;
  const read = await readInput(runtime, request, tool, compiled.value.parameters, trace);
  if (!read.ok) return read;
  const call = contextOf(request, read.value);
  const approved = await seekApproval(runtime, tool, read.value, call, trace);
  if (!approved.ok) return approved;
  const granted = await authorise(runtime, tool, call, trace);
  if (!granted.ok) return granted;
  const outcome = await runTool(runtime, request, tool, call, granted.value, trace);
  return readOutcome(runtime, tool, call, granted.value, outcome, compiled.value.returns);
}

function findTool(runtime: Runtime, request: CallRequest, trace: Trace): Step<Tool> {
  const { catalogue, dependencies, repeats } = runtime;
  const about = { tool: printName(request.name) };
  const found =
    typeof request.name === 'string'
      ? dependencies.lookup(request.name, request.session, request.view)
      : NOTHING_FOUND;
  if (found.kind === 'tool') trace.tool = found.tool;
  if (request.signal?.aborted === true)
    return fail(toolError(catalogue, 'cancelled', { ...about, started: false }));
  if (found.kind === 'unavailable') {
    return fail(toolError(catalogue, 'plugin_unavailable', { ...about, detail: detailLine(found.reason) }));
  }
  if (found.kind === 'unknown') {
    const suggestions = suggestNames(about.tool, found.visible);
    return fail(toolError(catalogue, 'unknown_tool', { ...about, suggestions, ...listNames(found.visible) }));
  }
  trace.stopped = repeats.isWatching ? repeats.stopped(identify(runtime, request, trace)) : undefined;
  if (trace.stopped !== undefined) return fail(stoppedError(runtime, trace.stopped));
  return { ok: true, value: found.tool };
}

const NOTHING_FOUND = { kind: 'unknown', visible: [] } as const;
const MAX_LISTED_NAMES = 20;
const MAX_LISTED_CHARS = 800;

function listNames(names: readonly string[]): { visible: readonly string[]; hidden: number } {
  const fits = names.length <= MAX_LISTED_NAMES && names.join(', ').length <= MAX_LISTED_CHARS;
  return { visible: names.slice(0, MAX_LISTED_NAMES), hidden: fits ? 0 : names.length };
}

function stoppedError({ catalogue }: Runtime, { code, count }: NonNullable<Trace['stopped']>): ToolError {
  return {
    code,
    message: catalogue.notRunAgain(count),
    outcome: 'did_not_run',
    retry: 'never',
    repeats: count,
  };
}

async function readInput(
  runtime: Runtime,
  request: CallRequest,
  tool: Tool,
  validator: Validator,
  trace: Trace,
): Promise<Step<ReadArguments>> {
  const input = { arguments: request.arguments, finishReason: request.finishReason };
  const answer = await readArguments(tool, validator, input, runtime.catalogue);
  trace.repairs = answer.repairs;
  if (!answer.ok) return fail(answer.error);
  trace.argumentsJson = answer.read.json;
  return { ok: true, value: answer.read };
}

/** Both before it runs: a result that can't be checked must not have been made. */
async function compileSchemas(
  { dependencies, catalogue }: Runtime,
  tool: Tool,
): Promise<Step<{ readonly parameters: Validator; readonly returns: Validator | undefined }>> {
  const parameters = await dependencies.validatorFor(tool, 'parameters');
  const returns =
    tool.manifest.returns === undefined ? undefined : await dependencies.validatorFor(tool, 'returns');
  for (const validator of [parameters, returns]) {
    if (validator === undefined || !('uncompilable' in validator)) continue;
    const detail = detailLine(validator.uncompilable);
    return fail(toolError(catalogue, 'plugin_unavailable', { tool: tool.manifest.name, detail }));
  }
  // The loop has left with what is no validator.
  return {
    ok: true,
    value: { parameters: parameters as Validator, returns: returns as Validator | undefined },
  };
}

function contextOf(request: CallRequest, { json }: ReadArguments): CallContext {
  const { id, session, signal, ask, chain = [] } = request;
  return {
    ...(id === undefined ? {} : { id }),
    ...(session === undefined ? {} : { session }),
    ...(signal === undefined ? {} : { signal }),
    ...(ask === undefined ? {} : { ask }),
    chain,
    argumentsJson: json,
  };
}

async function seekApproval(
  runtime: Runtime,
  tool: Tool,
  { value }: ReadArguments,
  call: CallContext,
  trace: Trace,
): Promise<Step<null>> {
  const { dependencies, catalogue } = runtime;
  const about = { tool: tool.manifest.name };
  const asked = dependencies.approve?.(tool, value, call);
  const approval = asked === undefined ? APPROVED : await untilAborted(asked, call.signal);
  if (approval === ABORTED || call.signal?.aborted === true)
    return fail(toolError(catalogue, 'cancelled', { ...about, started: false }));
  trace.approval = approval.kind;
  if (approval.kind === 'approved') return { ok: true, value: null };
  const detail =
    approval.kind === 'refused' && approval.reason !== undefined ? detailLine(approval.reason) : undefined;
  return fail(toolError(catalogue, 'not_approved', { ...about, reason: approval.kind, detail }));
}

const APPROVED = { kind: 'approved' } as const;
const ABORTED = Symbol('aborted');

/** A person may take for ever to answer; an abort must not wait for them. */
async function untilAborted<Value>(
  pending: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | typeof ABORTED> {
  if (signal === undefined) return pending;
  const aborted = Promise.withResolvers<typeof ABORTED>();
  const onAbort = (): void => aborted.resolve(ABORTED);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function authorise(
  runtime: Runtime,
  tool: Tool,
  call: CallContext,
  trace: Trace,
): Promise<Step<Granted>> {
  const authorisation = await runtime.dependencies.authorise(tool, call);
  if (authorisation.kind === 'granted') {
    const redact = joinRedactions(authorisation.redact, runtime.options.redact);
    trace.redact = redact;
    trace.uses = authorisation.uses;
    return { ok: true, value: redact === undefined ? authorisation : { ...authorisation, redact } };
  }
  const facts = { tool: tool.manifest.name, detail: detailLine(authorisation.reason) };
  return fail(toolError(runtime.catalogue, 'permission_denied', facts, { outcome: 'did_not_run' }));
}

function joinRedactions(first: Redact | undefined, second: Redact | undefined): Redact | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (text) => second(first(text));
}

async function runTool(
  runtime: Runtime,
  request: CallRequest,
  tool: Tool,
  call: CallContext,
  granted: Granted,
  trace: Trace,
): Promise<ToolOutcome> {
  trace.began = true;
  const { redact } = granted;
  const { dependencies } = runtime;
  const outcome = await tool.run({
    argumentsJson: call.argumentsJson,
    ...(request.view === undefined ? {} : { view: request.view }),
    ...(call.session === undefined ? {} : { session: call.session }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    env: granted.env,
    broker: granted.broker,
    onLog: (level, text) =>
      guarded(runtime, 'log', () => {
        const line = redact?.(text) ?? text;
        dependencies.log?.(tool, call, level, line);
        request.onLog?.(level, line);
      }),
    onProgress: (json) =>
      guarded(runtime, 'progress', () => {
        const value: unknown = JSON.parse(json);
        request.onProgress?.(redact === undefined ? value : redactValue(value, redact));
      }),
  });
  trace.usage = outcome.usage;
  return outcome;
}

async function readOutcome(
  runtime: Runtime,
  tool: Tool,
  call: CallContext,
  granted: Granted,
  outcome: ToolOutcome,
  validator: Validator | undefined,
): Promise<Ending> {
  const { catalogue, options, store } = runtime;
  const { redact, hostError } = granted;
  if (outcome.kind !== 'value') {
    return fail(
      outcomeError(outcome, { tool, catalogue, argumentsJson: call.argumentsJson, hostError, redact }),
    );
  }
  const shaped = shapeResult(outcome.json, {
    catalogue,
    format: options.format ?? 'pretty',
    limit: limitOf(runtime, tool),
    store,
    session: call.session,
    redact,
    check: validator === undefined ? undefined : (value) => validator.validate(value),
  });
  const about = { tool: tool.manifest.name };
  switch (shaped.kind) {
    case 'success':
      return { ok: true, shaped };
    case 'mismatch': {
      const issues =
        redact === undefined ? shaped.issues : (redactValue(shaped.issues, redact) as readonly Issue[]); // same shape
      return fail(toolError(catalogue, 'invalid_result', { ...about, kind: 'mismatch' }, { issues }));
    }
    case 'unwritable':
      return fail(
        toolError(catalogue, 'invalid_result', { ...about, kind: 'unwritable', detail: shaped.detail }),
      );
    case 'reported_error': {
      const thrown = {
        kind: 'thrown',
        error: { name: 'Error', message: shaped.text },
        usage: outcome.usage,
      } as const;
      return fail(outcomeError(thrown, { tool, catalogue, argumentsJson: call.argumentsJson, redact }));
    }
  }
}

/** A listener's mistake must not become the call's. */
function guarded(runtime: Runtime, stage: string, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    reportFault(runtime, stage, error);
  }
}

function fail(error: ToolError): { readonly ok: false; readonly error: ToolError } {
  return { ok: false, error };
}
