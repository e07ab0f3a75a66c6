import { createHash } from 'node:crypto';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema } from 'json-schema-to-ts';
import type { Tool, ToolRun } from '../catalog/tool.ts';
import { DEFAULT_LIMITS, type Limits } from '../config/limits.ts';
import type { Annotations, ApprovalRule, Example, JsonSchema, Manifest } from '../plugin/manifest.ts';
import type { RunOutcome } from '../sandbox/sandbox.ts';
import { parseExact } from './arguments/exact-json.ts';
import { formatPath } from './arguments/format-path.ts';
import { checkDefinition } from './function/check-definition.ts';
import { deriveJsonSchema, deriveParameters, isStandardSchema } from './function/derive-schema.ts';
import { createFunctionContext, type FunctionContext, type HostCalls } from './function/function-context.ts';
import { packThrown } from './function/pack-thrown.ts';
import { packValue } from './function/pack-value.ts';
import type { Issue } from './result.ts';

/** What a function's first parameter is: inferred from zod and its like, and from a JSON Schema written in place. */
export type ArgumentsOf<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Schema extends JsonSchema
    ? FromJsonSchema<Schema>
    : never;

// A schema that is only known as "some JSON Schema" says nothing about its arguments.
type FromJsonSchema<Schema> = JsonSchema extends Schema
  ? Readonly<Record<string, unknown>>
  : FromSchema<Schema & object>;

export interface FunctionToolDefinition<Schema extends StandardSchemaV1 | JsonSchema> {
  readonly name: string;
  readonly title?: string;
  /** What it does, when to use it, when not: all that a model knows of it. */
  readonly description: string;
  /** zod or any other Standard Schema, or a JSON Schema; of an object. */
  readonly parameters: Schema;
  /** The JSON Schema of `parameters`, where its library can't derive it. */
  readonly jsonSchema?: JsonSchema;
  /** What every result is held against. */
  readonly returns?: StandardSchemaV1 | JsonSchema;
  readonly examples?: readonly Example[];
  readonly annotations?: Annotations;
  readonly limits?: Partial<Pick<Limits, 'timeoutMs' | 'resultChars' | 'resultBytes'>>;
  readonly approval?: ApprovalRule;
  readonly tags?: readonly string[];
}

export type ToolFunction<Schema extends StandardSchemaV1 | JsonSchema> = (
  args: ArgumentsOf<Schema>,
  context: FunctionContext,
) => unknown;

/**
 * Makes a tool of a function of this very process: trusted, with no wall around it, so only its deadline and the size
 * of its result are enforced. An integer that a double can't hold arrives as a `bigint`.
 *
 * @throws TypeError when the definition lacks something or holds what there is not, or the parameters are no schema of
 * an object.
 */
export function createFunctionTool<const Schema extends StandardSchemaV1 | JsonSchema>(
  definition: FunctionToolDefinition<Schema>,
  run: ToolFunction<Schema>,
  limits: Limits = DEFAULT_LIMITS,
): Tool {
  checkDefinition(definition, run);
  const manifest = manifestOf(definition);
  const ownLimits: Limits = { ...limits, ...definition.limits };
  const schema: unknown = definition.parameters;
  const standard = isStandardSchema(schema) ? schema : undefined;
  // Its parameter is what the schema gives out, which is how `ArgumentsOf` was made.
  const call = run as (args: unknown, context: FunctionContext) => unknown;
  return {
    manifest,
    version: createHash('sha256')
      .update(JSON.stringify(manifest))
      .update(String(run))
      .digest('hex')
      .slice(0, 16),
    origin: 'function',
    limits: ownLimits,
    ...(standard === undefined ? {} : { check: (value: unknown) => checkStandard(standard, value) }),
    run: (toolRun) =>
      runFunction(toolRun, ownLimits, async (context) =>
        call(await readArguments(standard, toolRun.argumentsJson), context),
      ),
  };
}

function manifestOf(definition: FunctionToolDefinition<StandardSchemaV1 | JsonSchema>): Manifest {
  const { name, title, description, returns, approval } = definition;
  return {
    name,
    description,
    parameters: deriveParameters(definition.jsonSchema ?? definition.parameters, name),
    examples: definition.examples ?? [],
    annotations: definition.annotations ?? {},
    permissions: {},
    limits: definition.limits ?? {},
    state: 'plugin',
    tags: definition.tags ?? [],
    ...(title === undefined ? {} : { title }),
    ...(returns === undefined ? {} : { returns: deriveJsonSchema(returns, name, 'output') }),
    ...(approval === undefined ? {} : { approval }),
  };
}

/** What a refinement or a transform says that the derived JSON Schema couldn't. */
async function checkStandard(schema: StandardSchemaV1, value: unknown): Promise<readonly Issue[]> {
  const result = await schema['~standard'].validate(value);
  return (result.issues ?? []).map(({ message, path = [] }) => {
    const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
    const at = formatPath(steps.map((step) => (typeof step === 'number' ? step : String(step))));
    return { path: at, keyword: 'refinement', message: at === '' ? message : `${at}: ${message}` };
  });
}

async function readArguments(schema: StandardSchemaV1 | undefined, json: string): Promise<unknown> {
  if (schema === undefined) return parseExact(json, true);
  const result = await schema['~standard'].validate(JSON.parse(json));
  // `check` has just accepted the same arguments, so this is a schema that changes its mind.
  if (result.issues !== undefined)
    throw new RangeError(result.issues.map(({ message }) => message).join('; '));
  return result.value;
}

type StopReason = Extract<RunOutcome, { kind: 'stopped' }>['reason'];

/** Runs to the first of: an answer, a failure, the deadline, the caller's abort. What comes later is ignored. */
async function runFunction(
  run: ToolRun,
  limits: Limits,
  call: (context: FunctionContext) => Promise<unknown>,
): Promise<RunOutcome> {
  if (run.signal?.aborted === true) return stopped('cancelled', false, 0);
  const controller = new AbortController();
  const hostCalls = createFunctionContext(run, controller.signal);
  const end = Promise.withResolvers<StopReason>();
  const onAbort = (): void => end.resolve('cancelled');
  const deadline = setTimeout(() => end.resolve('timeout'), limits.timeoutMs);
  run.signal?.addEventListener('abort', onAbort);
  try {
    const answered = settle(call, hostCalls, limits);
    const first = await Promise.race([answered, end.promise]);
    if (typeof first !== 'string') return first;
    controller.abort(
      first === 'timeout' ? new DOMException('The deadline passed', 'TimeoutError') : run.signal?.reason,
    );
    return stopped(first, true, hostCalls.count());
  } finally {
    clearTimeout(deadline);
    run.signal?.removeEventListener('abort', onAbort);
  }
}

async function settle(
  call: (context: FunctionContext) => Promise<unknown>,
  hostCalls: HostCalls,
  limits: Limits,
): Promise<RunOutcome> {
  try {
    const packed = packValue(await call(hostCalls.context));
    const usage = usageOf(hostCalls.count());
    if (packed.kind === 'unserialisable') return { ...packed, usage };
    if (packed.json !== undefined && Buffer.byteLength(packed.json) > limits.resultBytes) {
      return stopped('output_limit', true, hostCalls.count());
    }
    return { ...packed, usage };
  } catch (thrown) {
    return {
      kind: 'thrown',
      error: packThrown(thrown, hostCalls.numberOf),
      usage: usageOf(hostCalls.count()),
    };
  }
}

function stopped(reason: StopReason, started: boolean, hostCalls: number): RunOutcome {
  return { kind: 'stopped', reason, started, usage: usageOf(hostCalls) };
}

// Its code runs on this process's own thread and heap: there is nothing to measure apart.
function usageOf(hostCalls: number): RunOutcome['usage'] {
  return { cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls };
}
