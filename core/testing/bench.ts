import path from 'node:path';
import type { Authorisation, CallContext, CallRecord } from '../call/call.ts';
import { createExecutor, type Executor } from '../call/executor.ts';
import { createFunctionTool } from '../call/function-tool.ts';
import type { CallResult } from '../call/result.ts';
import { Validators } from '../call/validators.ts';
import type { Tool } from '../catalog/tool.ts';
import {
  type Config,
  DEFAULT_CEILINGS,
  DEFAULT_LIMITS,
  type Limits,
  resolveLimits,
} from '../config/index.ts';
import {
  type Connections,
  createBroker,
  type Denial,
  environmentFor,
  NO_PERMISSIONS,
  type Policy,
  type ProtectedPaths,
  resolvePolicy,
  type SecretSource,
  type Storage,
} from '../permissions/index.ts';
import type { Manifest, PermissionRequest } from '../plugin/manifest.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
import type { LogLevel, Sandbox } from '../sandbox/sandbox.ts';
import { createSandboxedTool } from '../sandbox/sandboxed-tool.ts';

/** What stands in for the world while one plugin is tried. The wall, the policy and the pipeline are the real ones. */
export interface BenchWorld {
  /** Where relative paths begin. */
  readonly baseDir: string;
  readonly protectedPaths?: ProtectedPaths;
  readonly connections: Connections;
  /** Ask the real DNS? With answers that were recorded there is no host to find. @defaultValue false */
  readonly resolves?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretSource;
  readonly storage: Storage;
  /** Other tools, by name. */
  readonly tools?: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => unknown>>;
}

export interface BenchOptions {
  readonly sandbox: Sandbox;
  readonly plugin: PluginVersion;
  readonly grant: PermissionRequest | 'as_requested';
  readonly limits?: Pick<Config, 'limits' | 'ceilings'>;
  readonly world: BenchWorld;
  readonly onLog?: (level: LogLevel, text: string) => void;
}

export interface BenchCall {
  readonly result: CallResult;
  readonly record: CallRecord | undefined;
  readonly denials: readonly Denial[];
}

/** An address of the public internet, as a resolver would give it. Nothing ever connects to it. */
const SOME_ADDRESS = '93.184.215.14';

/** One plugin with the real pipeline around it and a made-up world behind its capabilities. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #executor: Executor;
  readonly #tool: Tool;
  readonly #policy: Policy;
  readonly #others: ReadonlyMap<string, Tool>;
  #denials: Denial[] = [];

  constructor(options: BenchOptions) {
    const { plugin, sandbox, world, onLog } = options;
    this.#options = options;
    const limits = limitsOf(plugin.manifest, options.limits);
    this.#tool = createSandboxedTool(sandbox, { ...plugin, limits });
    const resolved = resolvePolicy(plugin.manifest.permissions, options.grant);
    this.#policy = resolved.ok ? resolved.policy : NO_PERMISSIONS;
    this.#others = standIns(world.tools ?? {});
    const validators = new Validators('en');
    this.#executor = createExecutor({
      lookup: (name) => {
        const tool = name === plugin.manifest.name ? this.#tool : this.#others.get(name);
        return tool === undefined
          ? { kind: 'unknown', visible: [plugin.manifest.name, ...this.#others.keys()] }
          : { kind: 'tool', tool };
      },
      validatorFor: (tool, part) => validators.for(tool, part),
      authorise: (tool, call) => this.#authorise(tool, call),
      log: (_tool, _call, level, text) => onLog?.(level, text),
    });
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Never rejects. One call at a time: denials are told for the last one. */
  async call(
    args: unknown,
    options: { readonly session?: string; readonly signal?: AbortSignal } = {},
  ): Promise<BenchCall> {
    this.#denials = [];
    let record: CallRecord | undefined;
    const result = await this.#executor.call(
      { name: this.#tool.manifest.name, arguments: args, ...options },
      (made) => {
        record = made;
      },
    );
    return { result, record, denials: this.#denials };
  }

  #authorise(tool: Tool, call: CallContext): Authorisation {
    const { world } = this.#options;
    const policy = tool === this.#tool ? this.#policy : NO_PERMISSIONS;
    const chain = [...call.chain, tool.manifest.name];
    const made = createBroker({
      policy,
      plugin: tool.manifest.name,
      chain,
      baseDir: world.baseDir,
      connections: world.connections,
      secrets: world.secrets,
      storage: world.storage,
      callTool: (name, args, signal) => this.#executor.call({ name, arguments: args, signal, chain }),
      ...(world.resolves === true ? {} : { resolver: async () => [SOME_ADDRESS] }),
      ...(world.protectedPaths === undefined ? {} : { protectedPaths: world.protectedPaths }),
    });
    return {
      kind: 'granted',
      env: environmentFor(policy, world.env),
      broker: async (hostCall) => {
        const reply = await made.broker(hostCall);
        const denial = made.denial(hostCall.number);
        if (denial !== undefined) this.#denials.push(denial);
        return reply;
      },
      hostError: made.hostError,
      redact: made.redact,
      uses: made.uses,
    };
  }
}

export function limitsOf(
  manifest: Manifest,
  { limits, ceilings }: Pick<Config, 'limits' | 'ceilings'> = {
    limits: DEFAULT_LIMITS,
    ceilings: DEFAULT_CEILINGS,
  },
): Limits {
  return resolveLimits(limits, ceilings, manifest.limits).limits;
}

function standIns(tools: NonNullable<BenchWorld['tools']>): ReadonlyMap<string, Tool> {
  return new Map(
    Object.entries(tools).map(([name, run]) => [
      name,
      createFunctionTool(
        { name, description: `Stands in for ${name}.`, parameters: { type: 'object' } },
        (args) => run(args),
      ),
    ]),
  );
}

/** The default name of a plugin that is looked at by itself. */
export function nameOfDirectory(dir: string): string {
  return path.basename(path.resolve(dir));
}
