import type { Tool } from '../catalog/tool.ts';
import type { Trace } from './answer.ts';
import type { CallRequest } from './call.ts';
import { detailLine } from './errors/classify-thrown.ts';
import { toolError } from './errors/error-table.ts';
import type { ToolError } from './result.ts';
import { identify, printName, type Runtime } from './runtime.ts';
import { failed, type Step } from './step.ts';
import { suggestNames } from './suggest-names.ts';

/** The tool that is meant, unless the call was aborted, the tool is none, or this very call has failed too often. */
export function findTool(runtime: Runtime, request: CallRequest, trace: Trace): Step<Tool> {
  const { catalogue, dependencies, repeats } = runtime;
  const about = { tool: printName(request.name) };
  const found =
    typeof request.name === 'string'
      ? dependencies.lookup(request.name, request.session, request.view)
      : NOTHING_FOUND;
  if (found.kind === 'tool') trace.tool = found.tool;
  if (request.signal?.aborted === true)
    return failed(toolError(catalogue, 'cancelled', { ...about, started: false }));
  if (found.kind === 'unavailable') {
    return failed(toolError(catalogue, 'plugin_unavailable', { ...about, detail: detailLine(found.reason) }));
  }
  if (found.kind === 'unknown') {
    const suggestions = suggestNames(about.tool, found.visible);
    return failed(
      toolError(catalogue, 'unknown_tool', { ...about, suggestions, ...listNames(found.visible) }),
    );
  }
  trace.stopped = repeats.isWatching ? repeats.stopped(identify(runtime, request, trace)) : undefined;
  if (trace.stopped !== undefined) return failed(stoppedError(runtime, trace.stopped));
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
