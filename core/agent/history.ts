import { legalNames } from '../adapters/names.ts';
import { TARGET_RULES } from '../adapters/targets.ts';
import { type AssembledCall, isWhole } from './assemble-calls.ts';
import type { ModelCall } from './types.ts';

/** Endpoints check the conversation that is sent back: an invented name there would fail the next request. */
export function historyName(name: string): string {
  const rules = TARGET_RULES.openai.toolName;
  return legalNames([name], rules).get(name) ?? name;
}

/** Several servers parse the arguments of past calls; cut or broken ones are sent back empty. */
export function historyArguments(text: string): string {
  return isWhole(text) ? text : '{}';
}

/** A cut message can have cut its last call, and any that isn't whole. */
export function markCut(calls: readonly AssembledCall[], cut: boolean): ModelCall[] {
  return calls.map((call, index) => ({
    ...call,
    cut: cut && (index === calls.length - 1 || !isWhole(call.arguments)),
  }));
}
