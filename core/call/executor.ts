import type { Tool, ToolOutcome } from '../catalog/tool.ts';
import { answerCall, type Ending, type Trace } from './answer.ts';
import { type ReadArguments, readArguments } from './arguments/read-arguments.ts';
import type {
  Authorisation,
  CallContext,
  CallRecord,
  CallRequest,
  ExecutorDependencies,
  Uncompilable,
  Validator,
} from './call.ts';
import { detailLine } from './errors/classify-thrown.ts';
import { toolError } from './errors/error-table.ts';
import { mapFrames } from './errors/map-frames.ts';
import { outcomeError } from './errors/outcome-error.ts';
import { type Eventually, whenThere } from './eventually.ts';
import { findTool } from './find-tool.ts';
import { CATALOGUES } from './messages/catalogues.ts';
import { createRepeats } from './repeats.ts';
import type { Redact } from './result/redact-value.ts';
import { redactValue } from './result/redact-value.ts';
import { shapeResult } from './result/shape-result.ts';
import { createTextStore } from './result/text-store.ts';
import type { CallResult, Issue } from './result.ts';
import {
  type ExecutorOptions,
  limitOf,
  printName,
  type Runtime,
  reportFault,
  tellListener,
} from './runtime.ts';
import { seekApproval } from './seek-approval.ts';
import { failed, type Step } from './step.ts';

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
  const compiling = compileSchemas(runtime, tool);
  const compiled = compiling instanceof Promise ? await compiling : compiling;
  if (!compiled.ok) return compiled;
  const reading = readInput(runtime, request, tool, compiled.value.parameters, trace);
  const read = reading instanceof Promise ? await reading : reading;
  if (!read.ok) return read;
  const call = contextOf(request, read.value);
  const seeking = seekApproval(runtime, tool, read.value, call, trace);
  const approved = seeking instanceof Promise ? await seeking : seeking;
  if (!approved.ok) return approved;
  const authorising = authorise(runtime, tool, call, trace);
  const granted = authorising instanceof Promise ? await authorising : authorising;
  if (!granted.ok) return granted;
  const outcome = await runTool(runtime, request, tool, call, granted.value, trace);
  trace.usage = outcome.usage;
  return readOutcome(runtime, tool, call, granted.value, outcome, compiled.value.returns);
}

function readInput(
  runtime: Runtime,
  request: CallRequest,
  tool: Tool,
  validator: Validator,
  trace: Trace,
): Eventually<Step<ReadArguments>> {
  const input = { arguments: request.arguments, finishReason: request.finishReason };
  return whenThere(readArguments(tool, validator, input, runtime.catalogue), (answer) => {
    trace.repairs = answer.repairs;
    if (!answer.ok) return failed(answer.error);
    trace.argumentsJson = answer.read.json;
    return { ok: true, value: answer.read };
  });
}

interface Compiled {
  readonly parameters: Validator;
  readonly returns: Validator | undefined;
}

/** Both before it runs: a result that can't be checked must not have been made. */
function compileSchemas(runtime: Runtime, tool: Tool): Eventually<Step<Compiled>> {
  const { dependencies } = runtime;
  const parameters = dependencies.validatorFor(tool, 'parameters');
  const returns =
    tool.manifest.returns === undefined ? undefined : dependencies.validatorFor(tool, 'returns');
  return parameters instanceof Promise || returns instanceof Promise
    ? Promise.all([parameters, returns]).then((both) => checkCompiled(runtime, tool, ...both))
    : checkCompiled(runtime, tool, parameters, returns);
}

function checkCompiled(
  { catalogue }: Runtime,
  tool: Tool,
  parameters: Validator | Uncompilable,
  returns: Validator | Uncompilable | undefined,
): Step<Compiled> {
  const reason = uncompilableOf(parameters) ?? uncompilableOf(returns);
  if (reason !== undefined) {
    const facts = { tool: tool.manifest.name, detail: detailLine(reason) };
    return failed(toolError(catalogue, 'plugin_unavailable', facts));
  }
  // Neither is uncompilable, by the lines above.
  return {
    ok: true,
    value: { parameters: parameters as Validator, returns: returns as Validator | undefined },
  };
}

function uncompilableOf(compiled: Validator | Uncompilable | undefined): string | undefined {
  return compiled !== undefined && 'uncompilable' in compiled ? compiled.uncompilable : undefined;
}

function contextOf(request: CallRequest, { json }: ReadArguments): CallContext {
  const { id, session, signal, ask, chain = [] } = request;
  return { id, session, signal, ask, chain, argumentsJson: json };
}

function authorise(runtime: Runtime, tool: Tool, call: CallContext, trace: Trace): Eventually<Step<Granted>> {
  return whenThere(runtime.dependencies.authorise(tool, call), (authorisation): Step<Granted> => {
    if (authorisation.kind === 'granted') {
      const redact = joinRedactions(authorisation.redact, runtime.options.redact);
      trace.redact = redact;
      trace.uses = authorisation.uses;
      return { ok: true, value: redact === undefined ? authorisation : { ...authorisation, redact } };
    }
    const facts = { tool: tool.manifest.name, detail: detailLine(authorisation.reason) };
    return failed(toolError(runtime.catalogue, 'permission_denied', facts, { outcome: 'did_not_run' }));
  });
}

function joinRedactions(first: Redact | undefined, second: Redact | undefined): Redact | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (text) => second(first(text));
}

function runTool(
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
  return tool.run({
    argumentsJson: call.argumentsJson,
    view: request.view,
    session: call.session,
    signal: call.signal,
    env: granted.env,
    broker: granted.broker,
    onLog: (level, text) =>
      tellListener(runtime, 'log', () => {
        const mapped = tool.locate === undefined ? text : mapFrames(text, tool.locate);
        const line = redact?.(mapped) ?? mapped;
        tellListener(runtime, 'log', () => dependencies.log?.(tool, call, level, line));
        return request.onLog?.(level, line);
      }),
    onProgress: (json) =>
      tellListener(runtime, 'progress', () => {
        const value: unknown = JSON.parse(json);
        return request.onProgress?.(redact === undefined ? value : redactValue(value, redact));
      }),
  });
}

function readOutcome(
  runtime: Runtime,
  tool: Tool,
  call: CallContext,
  granted: Granted,
  outcome: ToolOutcome,
  validator: Validator | undefined,
): Ending {
  const { catalogue, options, store } = runtime;
  const { redact, hostError } = granted;
  if (outcome.kind !== 'value') {
    return failed(
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
      return failed(toolError(catalogue, 'invalid_result', { ...about, kind: 'mismatch' }, { issues }));
    }
    case 'unwritable':
      return failed(
        toolError(catalogue, 'invalid_result', { ...about, kind: 'unwritable', detail: shaped.detail }),
      );
    case 'reported_error': {
      const thrown = {
        kind: 'thrown',
        error: { name: 'Error', message: shaped.text },
        usage: outcome.usage,
      } as const;
      return failed(outcomeError(thrown, { tool, catalogue, argumentsJson: call.argumentsJson, redact }));
    }
  }
}
