import type { CallResult } from '../call/result.ts';
import type { Broker, GuestError, HostCall, HostReply } from '../sandbox/sandbox.ts';
import { type Denial, denialMessage, grantLine } from './grant.ts';
import type { Capability, Policy } from './policy.ts';

export interface ToolBrokerOptions {
  readonly policy: Policy;
  /** Name of the tool that asks. */
  readonly plugin: string;
  /** Names of the tools whose calls led to this one, this one last. */
  readonly chain: readonly string[];
  readonly callTool: (name: string, args: unknown, signal: AbortSignal) => Promise<CallResult>;
}

export interface CallBroker {
  readonly broker: Broker;
  /** What the numbered host call was answered with, if it failed. */
  hostError(number: number): GuestError | undefined;
}

/** Tools that call tools that call tools: how deep. */
const MAX_DEPTH = 8;

const CAPABILITY_OF: Readonly<Record<string, Capability>> = {
  fetch: 'net',
  fs: 'read',
  storage: 'storage',
  tools: 'tools',
};

/** Serves what a plugin asks of the host during one call: other tools within its policy; everything else is denied. */
export function createToolBroker(options: ToolBrokerOptions): CallBroker {
  const errors = new Map<number, GuestError>();
  const answer = async (call: HostCall): Promise<HostReply> => {
    if (call.method === 'tools.call') return callTool(options, call);
    const [group = ''] = call.method.split('.');
    const capability = CAPABILITY_OF[group];
    if (capability === undefined) return failure('TypeError', `the host has no "${call.method}"`);
    return denied(options, capability, targetOf(call));
  };
  return {
    broker: async (call) => {
      const reply = await answer(call);
      if (!reply.ok) errors.set(call.number, reply.error);
      return reply;
    },
    hostError: (number) => errors.get(number),
  };
}

async function callTool(options: ToolBrokerOptions, call: HostCall): Promise<HostReply> {
  const params = read(call.params);
  if (typeof params.name !== 'string') return failure('TypeError', 'the name of the tool is missing');
  const { policy, chain } = options;
  const { requested, granted } = policy.tools;
  const name = params.name;
  const matches = (rules: typeof requested) => rules.some((rule) => rule.matches(name));
  if (!matches(requested) || !matches(granted)) return denied(options, 'tools', name, matches(requested));
  if (chain.includes(name))
    return failure('Error', `${name} is already running in this call (${chain.join(' -> ')})`);
  if (chain.length >= MAX_DEPTH) return failure('Error', `tools call each other ${chain.length} deep`);
  const { ok, content, ...rest } = await options.callTool(name, params.arguments ?? {}, call.signal);
  const value = 'value' in rest && rest.value !== undefined ? { value: rest.value } : {};
  const error = 'error' in rest ? { error: { code: rest.error.code, message: rest.error.message } } : {};
  return { ok: true, json: JSON.stringify({ ok, content, ...value, ...error }) };
}

function denied(
  { plugin }: ToolBrokerOptions,
  capability: Capability,
  target: string,
  requested = false,
): HostReply {
  const reason = requested ? 'registry.config.json does not grant it' : 'schema.json does not ask for it';
  const denial: Denial = {
    capability,
    target,
    reason,
    requested,
    grant: grantLine(plugin, capability, target),
  };
  return {
    ok: false,
    error: { name: 'NotAllowedError', code: 'permission_denied', message: denialMessage(denial) },
  };
}

function failure(name: string, message: string): HostReply {
  return { ok: false, error: { name, message } };
}

function targetOf(call: HostCall): string {
  const { url, method, path, from, key } = read(call.params);
  if (typeof url === 'string') return `${String(method ?? 'GET')} ${url}`.slice(0, 300);
  const target = [path, from, key].find((value) => typeof value === 'string');
  return String(target ?? call.method).slice(0, 300);
}

function read(params: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(params);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // an object by the check
  } catch {
    return {};
  }
}
