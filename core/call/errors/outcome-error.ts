import type { Tool, ToolOutcome } from '../../catalog/tool.ts';
import type { GuestError, RunOutcome, ThrownError } from '../../sandbox/sandbox.ts';
import type { Catalogue } from '../messages/catalogue.ts';
import type { Redact } from '../result/redact-value.ts';
import type { ToolError } from '../result.ts';
import { classifyThrown, detailLine } from './classify-thrown.ts';
import { toolError } from './error-table.ts';

type Thrown = Extract<RunOutcome, { kind: 'thrown' }>;
type Stopped = Extract<RunOutcome, { kind: 'stopped' }>;
type Unavailable = Extract<ToolOutcome, { kind: 'unavailable' }>;
type Unserialisable = Extract<RunOutcome, { kind: 'unserialisable' }>;

export interface OutcomeContext {
  readonly tool: Tool;
  readonly catalogue: Catalogue;
  /** The arguments as they ran: what the model wrote itself is no leak. */
  readonly argumentsJson: string;
  readonly hostError?: ((number: number) => GuestError | undefined) | undefined;
  readonly redact?: Redact | undefined;
}

/** The error that a model reads of a run that gave no value. */
export function outcomeError(
  outcome: Thrown | Stopped | Unavailable | Unserialisable,
  context: OutcomeContext,
): ToolError {
  switch (outcome.kind) {
    case 'thrown':
      return thrownError(outcome.error, context);
    case 'stopped':
      return stoppedError(outcome, context);
    case 'unavailable':
      return toolError(context.catalogue, 'plugin_unavailable', {
        tool: context.tool.manifest.name,
        detail: detailLine(outcome.reason),
      });
    case 'unserialisable': {
      const { tool, catalogue } = context;
      const facts = {
        tool: tool.manifest.name,
        kind: 'unwritable',
        path: detail(outcome.path, context),
        detail: detail(outcome.message, context),
      } as const;
      return toolError(catalogue, 'invalid_result', facts);
    }
  }
}

function thrownError(thrown: ThrownError, context: OutcomeContext): ToolError {
  const { tool, catalogue, argumentsJson, hostError, redact } = context;
  const error = redact === undefined ? thrown : redactThrown(thrown, redact);
  const classified = classifyThrown(error, {
    known: argumentsJson,
    ...(hostError === undefined ? {} : { hostError }),
  });
  const facts = { tool: tool.manifest.name, detail: redact?.(classified.detail) ?? classified.detail };
  const at = thrown.stack === undefined ? undefined : locate(tool, thrown.stack);
  if (isRefusedMemory(thrown, tool)) {
    const limited = { tool: tool.manifest.name, limit: tool.limits.memoryMb, at };
    return toolError(catalogue, 'memory_limit', limited, { outcome: effectOf(tool, true) });
  }
  switch (classified.kind) {
    case 'denied':
      return toolError(catalogue, 'permission_denied', facts);
    case 'not_found':
      return toolError(catalogue, 'not_found', { ...facts, at });
    case 'network':
    case 'timeout':
      return toolError(catalogue, 'tool_error', { ...facts, at, kind: classified.kind }, { retry: 'as_is' });
    default:
      return toolError(catalogue, 'tool_error', { ...facts, at, kind: classified.kind });
  }
}

/**
 * The isolate ends a call whose heap is full, but refuses a buffer by an exception, which leaves the plugin a choice. One
 * that lets it through was ended by the limit all the same. It goes by the text, since nothing else tells; whoever forges
 * it only says of itself that it was too big. A function of the host's own process has no such limit.
 */
function isRefusedMemory({ name, message }: ThrownError, { origin }: Tool): boolean {
  return origin === 'plugin' && name === 'RangeError' && message === 'Array buffer allocation failed';
}

/** Secrets go first, before anything is cut: half a secret would not be recognised. */
function redactThrown(error: ThrownError, redact: Redact): ThrownError {
  const { cause, errors } = error;
  return {
    ...error,
    name: redact(error.name),
    message: redact(error.message),
    ...(cause === undefined ? {} : { cause: redactThrown(cause, redact) }),
    ...(errors === undefined ? {} : { errors: errors.map((inner) => redactThrown(inner, redact)) }),
  };
}

function locate(tool: Tool, stack: string): string | undefined {
  const place = tool.locate?.(stack);
  return place === undefined ? undefined : detailLine(place);
}

function stoppedError(outcome: Stopped, context: OutcomeContext): ToolError {
  const { catalogue, tool } = context;
  const { limits } = tool;
  const { started, reason } = outcome;
  const facts = {
    tool: tool.manifest.name,
    started,
    detail: outcome.detail === undefined ? undefined : detail(outcome.detail, context),
  };
  const effects = { outcome: effectOf(tool, started) };
  switch (reason) {
    case 'timeout':
      return toolError(catalogue, reason, { ...facts, limit: limits.timeoutMs }, effects);
    case 'cpu_limit':
      return toolError(catalogue, reason, { ...facts, limit: limits.cpuMs }, effects);
    case 'memory_limit':
      return toolError(catalogue, reason, { ...facts, limit: limits.memoryMb }, effects);
    case 'output_limit': {
      // A function's logs are the process's own.
      const logBytes = tool.origin === 'plugin' ? limits.logBytes : undefined;
      return toolError(catalogue, reason, { ...facts, resultBytes: limits.resultBytes, logBytes }, effects);
    }
    case 'host_call_limit':
      return toolError(catalogue, reason, { ...facts, limit: limits.hostCalls }, effects);
    case 'sandbox_crashed':
      return toolError(catalogue, reason, facts, {
        ...effects,
        retry: started && effects.outcome === 'unknown' ? 'never' : 'as_is',
      });
    default:
      return toolError(catalogue, reason, facts, effects);
  }
}

/** A call that was ended half-way may have done half its work, unless its tool only reads. */
function effectOf({ manifest: { annotations } }: Tool, started: boolean): ToolError['outcome'] {
  if (!started) return 'did_not_run';
  return annotations.readOnly === true ? 'failed' : 'unknown';
}

function detail(text: string, { redact, argumentsJson }: OutcomeContext): string {
  return detailLine(redact?.(text) ?? text, argumentsJson);
}
