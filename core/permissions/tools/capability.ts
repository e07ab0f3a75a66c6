import type { CallResult } from '../../call/result.ts';
import { type Answer, denied, done, failed, type RecordUse } from '../outcome.ts';
import { jsonOf, type Params, textOf } from '../params.ts';
import type { Policy } from '../policy.ts';

/** Runs another tool through the whole pipeline, so that the callee's own policy applies. Never rejects. */
export type CallTool = (name: string, args: unknown, signal: AbortSignal) => Promise<CallResult>;

export interface ToolServices {
  readonly policy: Policy;
  /** The tools whose calls led here, outermost first, the asking one last. */
  readonly chain: readonly string[];
  readonly callTool: CallTool | undefined;
  readonly ownNameOf: (name: string) => string;
  readonly record: RecordUse;
  readonly signal: AbortSignal;
}

/** Tools that call tools that call tools: how deep. */
const DEEPEST_CHAIN = 8;
const LONGEST_NAME = 200;

/** `tools.call` */
export async function useTool(services: ToolServices, params: Params): Promise<Answer> {
  const { policy, chain, record } = services;
  const name = services.ownNameOf(textOf(params, 'name', LONGEST_NAME));
  const requested = policy.tools.requested.some((rule) => rule.matches(name));
  if (!requested || !policy.tools.granted.some((rule) => rule.matches(name))) {
    record({ capability: 'tools', target: name, allowed: false });
    const reason = requested ? 'no grant covers it.' : 'the plugin did not ask for it.';
    return denied({ capability: 'tools', target: name, reason, requested, grantable: true });
  }
  if (chain.includes(name)) {
    return failed('Error', `${name} is already running in this call (${chain.join(' -> ')})`, 'tool_cycle');
  }
  if (chain.length >= DEEPEST_CHAIN) {
    return failed('Error', `tools call each other ${chain.length} deep; that is the limit`, 'tool_depth');
  }
  if (!services.callTool) return failed('Error', 'tools can not be called here', 'tools_unavailable');
  record({ capability: 'tools', target: name, allowed: true });
  const result = await services.callTool(name, jsonOf(params, 'arguments') ?? {}, services.signal);
  return done({
    ok: result.ok,
    content: result.content,
    ...(result.ok && result.value !== undefined ? { value: result.value } : {}),
    ...(result.ok ? {} : { error: { code: result.error.code, message: result.error.message } }),
  });
}
