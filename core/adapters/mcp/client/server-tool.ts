import type { Tool, ToolRun } from '../../../catalog/tool.ts';
import type { Limits } from '../../../config/limits.ts';
import type { Redactor } from '../../../permissions/index.ts';
import type { RunOutcome, RunUsage, StopReason } from '../../../sandbox/sandbox.ts';
import type { CallSlots } from './call-slots.ts';
import type { Connection } from './connection.ts';
import { outcomeOf } from './map-answer.ts';
import type { ServerTool } from './read-tools.ts';

/** What a tool needs of its server, which may be another process at each call. */
export interface ToolServer {
  readonly slots: CallSlots;
  readonly redactor: Redactor;
  /** Aborted when the host closes: its calls end as cancelled. */
  readonly closing: AbortSignal;
  /** Waits while the server starts; a text says why there is none. */
  connection(signal: AbortSignal): Promise<Connection | string>;
  /** A call was lost: is the server still there? */
  doubt(connection: Connection): void;
}

/** A tool of another server, as any other of the catalogue. */
export function createServerTool(server: ToolServer, tool: ServerTool, limits: Limits): Tool {
  const { manifest, version } = tool;
  return { manifest, version, origin: 'mcp', limits, run: (run) => runTool(server, tool, limits, run) };
}

async function runTool(
  server: ToolServer,
  tool: ServerTool,
  limits: Limits,
  run: ToolRun,
): Promise<RunOutcome> {
  const begun = performance.now();
  const ending = new AbortController();
  let ended: 'timeout' | 'cancelled' | undefined;
  const end = (how: 'timeout' | 'cancelled'): void => {
    ended ??= how;
    ending.abort(how === 'timeout' ? 'the deadline passed' : 'the caller cancelled');
  };
  const onAbort = (): void => end('cancelled');
  const deadline = setTimeout(() => end('timeout'), limits.timeoutMs);
  for (const signal of [run.signal, server.closing]) {
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  }
  const stopped = (reason: StopReason, started: boolean, queuedMs: number, detail?: string): RunOutcome => ({
    ...{ kind: 'stopped', reason, started, usage: usageOf(queuedMs) },
    ...(detail === undefined ? {} : { detail }),
  });
  const slot = await server.slots.take(limits, ending.signal);
  try {
    const queuedMs = performance.now() - begun;
    if (slot === 'busy') return stopped('busy', false, queuedMs);
    if (ended !== undefined) return stopped(ended, false, queuedMs);
    const connection = await server.connection(ending.signal);
    if (ended !== undefined) return stopped(ended, false, queuedMs);
    if (typeof connection === 'string') return stopped('plugin_unavailable', false, queuedMs, connection);
    const answer = await connection.call({
      tool: tool.ownName,
      inputSchema: tool.inputSchema,
      argumentsJson: run.argumentsJson,
      signal: ending.signal,
      onProgress: (progress) => {
        if (ended === undefined) run.onProgress?.(JSON.stringify(server.redactor.json(progress)));
      },
    });
    if (ended !== undefined) return stopped(ended, true, queuedMs);
    if (answer.kind === 'lost') server.doubt(connection);
    return outcomeOf(answer, {
      usage: usageOf(queuedMs),
      redactor: server.redactor,
      hasReturns: tool.manifest.returns !== undefined,
      resultBytes: limits.resultBytes,
    });
  } finally {
    clearTimeout(deadline);
    for (const signal of [run.signal, server.closing]) signal?.removeEventListener('abort', onAbort);
    if (typeof slot === 'object') slot.release();
  }
}

/** Its code runs elsewhere: there is nothing to measure here. */
function usageOf(queuedMs: number): RunUsage {
  return { cpuMs: 0, heapBytes: 0, queuedMs, hostCalls: 0 };
}
