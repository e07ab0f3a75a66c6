import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CallRequest, ExecutorDependencies, Lookup, Validator } from '../../core/call/call.ts';
import { createExecutor } from '../../core/call/executor.ts';
import type { CallFailure, CallResult, CallSuccess } from '../../core/call/result.ts';
import type { ExecutorOptions } from '../../core/call/runtime.ts';
import type { Tool, ToolRun } from '../../core/catalog/tool.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/config/limits.ts';
import type { JsonSchema, Manifest } from '../../core/plugin/manifest.ts';
import type { RunOutcome, ThrownError } from '../../core/sandbox/sandbox.ts';

export const USAGE = { cpuMs: 1, heapBytes: 2, queuedMs: 3, hostCalls: 4 };

/** The bare engine: these tests are about the call, not about how issues are worded. */
export function plainValidator(schema: JsonSchema): Validator {
  const validate = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(schema);
  return {
    validate: (value) =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(({ instancePath, keyword, message }) => ({
            path: instancePath.slice(1).replaceAll('/', '.'),
            keyword,
            message: `${instancePath} ${message}`,
          })),
  };
}

export interface ToolParts extends Partial<Omit<Manifest, 'limits'>> {
  readonly limits?: Partial<Limits>;
  readonly version?: string;
  readonly origin?: Tool['origin'];
  readonly run?: (run: ToolRun) => Promise<RunOutcome> | RunOutcome;
  readonly locate?: (stack: string) => string | undefined;
}

/** A tool that echoes its arguments as JSON, unless told otherwise. */
export function makeTool({
  limits,
  version = 'v1',
  origin = 'plugin',
  run = echo,
  locate,
  ...manifest
}: ToolParts = {}): Tool {
  return {
    manifest: {
      name: 'echo',
      description: 'Gives back what it got.',
      parameters: { type: 'object' },
      examples: [],
      annotations: {},
      permissions: {},
      limits: {},
      state: 'fresh',
      tags: [],
      ...manifest,
    },
    version,
    origin,
    limits: { ...DEFAULT_LIMITS, ...limits },
    run: async (toolRun) => run(toolRun),
    ...(locate === undefined ? {} : { locate }),
  };
}

function echo(run: ToolRun): RunOutcome {
  return { kind: 'value', json: run.argumentsJson, usage: USAGE };
}

export const gives = (value: unknown) => (): RunOutcome => ({
  kind: 'value',
  json: JSON.stringify(value),
  usage: USAGE,
});

export const throws = (error: Partial<ThrownError>) => (): RunOutcome => ({
  kind: 'thrown',
  error: { name: 'Error', message: '', ...error },
  usage: USAGE,
});

export interface Bench {
  readonly call: (request: Partial<CallRequest>) => Promise<CallResult>;
}

/** An executor over these tools, everything approved and granted unless told otherwise. */
export function bench(
  tools: readonly Tool[],
  overrides: Partial<ExecutorDependencies> = {},
  options: ExecutorOptions = {},
): Bench {
  const lookup = (name: string): Lookup => {
    const tool = tools.find(({ manifest }) => manifest.name === name);
    return tool === undefined
      ? { kind: 'unknown', visible: tools.map(({ manifest }) => manifest.name) }
      : { kind: 'tool', tool };
  };
  const executor = createExecutor(
    {
      lookup,
      validatorFor: ({ manifest }, part) =>
        plainValidator(part === 'parameters' ? manifest.parameters : (manifest.returns ?? {})),
      authorise: () => ({ kind: 'granted', env: {}, broker: async () => ({ ok: true, json: 'null' }) }),
      ...overrides,
    },
    options,
  );
  return {
    call: (request) => executor.call({ name: tools[0]?.manifest.name ?? 'none', arguments: {}, ...request }),
  };
}

export function succeeded(result: CallResult): CallSuccess {
  if (!result.ok) throw new Error(`expected a success, got ${result.content}`);
  return result;
}

export function failed(result: CallResult): CallFailure {
  if (result.ok) throw new Error(`expected a failure, got ${result.content}`);
  return result;
}
