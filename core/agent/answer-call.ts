import { errorContent, toolError } from '../call/errors/error-table.ts';
import type { Catalogue } from '../call/messages/catalogue.ts';
import { CATALOGUES } from '../call/messages/catalogues.ts';
import type { CallFailure, CallResult } from '../call/result.ts';
import { suggestNames } from '../call/suggest-names.ts';
import type { AgentTools, ToolHost } from './types.ts';

const MAX_LISTED_NAMES = 20;

/** Calls the host for a model: never rejects, and never reaches a tool that the conversation may not see. */
export async function answerCall(
  host: ToolHost,
  tools: AgentTools,
  request: Parameters<ToolHost['call']>[0],
): Promise<CallResult> {
  const catalogue = CATALOGUES[host.locale ?? 'en'];
  if (!tools.has(request.name)) return unseen(catalogue, request, tools.names());
  try {
    const result = await host.call({ ...request, view: tools });
    tools.observe?.(request.name, result);
    return result;
  } catch {
    // Glovebox hosts don't throw; someone else's stand-in may, and its words are not for a model.
    return failure(catalogue, request, toolError(catalogue, 'internal', { tool: request.name }));
  }
}

function unseen(
  catalogue: Catalogue,
  request: Parameters<ToolHost['call']>[0],
  names: readonly string[],
): CallFailure {
  const few = names.length <= MAX_LISTED_NAMES;
  const error = toolError(catalogue, 'unknown_tool', {
    tool: request.name,
    suggestions: suggestNames(request.name, names),
    visible: few ? names : names.slice(0, MAX_LISTED_NAMES),
    hidden: few ? 0 : names.length - MAX_LISTED_NAMES,
  });
  return failure(catalogue, request, error);
}

function failure(
  catalogue: Catalogue,
  request: Parameters<ToolHost['call']>[0],
  error: CallFailure['error'],
): CallFailure {
  return {
    ok: false,
    ...(request.id === undefined ? {} : { id: request.id }),
    content: errorContent(catalogue, error),
    error,
    tool: { name: request.name },
    usage: { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 },
  };
}
