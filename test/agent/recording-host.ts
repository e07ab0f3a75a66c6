import { setTimeout as wait } from 'node:timers/promises';
import type { ToolHost } from '../../core/agent/types.ts';
import type { CallResult, ContentPart } from '../../core/call/result.ts';
import type { Tool } from '../../core/catalog/tool.ts';
import { createView, type Selection, type View } from '../../core/catalog/view.ts';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import type { JsonSchema, Manifest } from '../../core/plugin/manifest.ts';
import { manifestOf } from '../adapters/support.ts';
import { readArgumentsText } from './read-arguments-text.ts';

export type HostRequest = Parameters<ToolHost['call']>[0];

export interface HostTool {
  readonly parameters?: JsonSchema;
  readonly manifest?: Partial<Manifest>;
  run(args: Record<string, unknown>, signal: AbortSignal): unknown;
}

export interface RecordingHost extends ToolHost {
  readonly calls: HostRequest[];
  /** Most calls that ran at the same time. */
  readonly peak: () => number;
  view(selection?: Selection): View;
}

const USAGE = { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 };

export function toolOf(manifest: Manifest): Tool {
  const usage = { cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 };
  return {
    manifest,
    version: '1',
    origin: 'function',
    limits: DEFAULT_LIMITS,
    run: async () => ({ kind: 'value', json: undefined, usage }),
  };
}

/** The smallest honest host: it runs functions, refuses cut or broken arguments, and never rejects. */
export function recordingHost(tools: Readonly<Record<string, HostTool>>): RecordingHost {
  const calls: HostRequest[] = [];
  let running = 0;
  let peak = 0;
  const list = Object.entries(tools).map(([name, { parameters, manifest }]) =>
    toolOf(manifestOf(name, parameters ?? { type: 'object', properties: {} }, manifest)),
  );
  return {
    calls,
    peak: () => peak,
    view: (selection = {}) => createView(list, selection),
    async call(request): Promise<CallResult> {
      calls.push(request);
      const base = {
        ...(request.id === undefined ? {} : { id: request.id }),
        tool: { name: request.name },
        usage: USAGE,
      };
      const args = readArgumentsText(request.arguments);
      const tool = tools[request.name];
      if (args === undefined || tool === undefined) {
        const code = request.finishReason === 'length' ? 'truncated_arguments' : 'malformed_arguments';
        const content = `Error: ${code}`;
        return {
          ...base,
          ok: false,
          content,
          error: { code, message: content, outcome: 'did_not_run', retry: 'after_change' },
        };
      }
      running += 1;
      peak = Math.max(peak, running);
      try {
        const value = await tool.run(args, request.signal ?? new AbortController().signal);
        const parts = (value as { parts?: ContentPart[] } | undefined)?.parts; // cast: test tools may give parts
        return {
          ...base,
          ok: true,
          content: typeof value === 'string' ? value : JSON.stringify(value),
          value,
          ...(parts ? { parts } : {}),
        };
      } catch {
        return {
          ...base,
          ok: false,
          content: 'Error: cancelled',
          error: { code: 'cancelled', message: 'cancelled', outcome: 'failed', retry: 'as_is' },
        };
      } finally {
        running -= 1;
      }
    },
  };
}

/** Waits until `count` callers have come. */
export function meeting(count: number): () => Promise<void> {
  let here = 0;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    here += 1;
    if (here === count) open();
    await Promise.race([all, wait(5_000, undefined, { ref: false })]);
  };
}
