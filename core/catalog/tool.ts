import type { CallView } from '../call/call.ts';
import type { Issue } from '../call/result.ts';
import type { Limits } from '../config/limits.ts';
import type { Manifest } from '../plugin/manifest.ts';
import type { Broker, LogLevel, RunOutcome, RunUsage } from '../sandbox/sandbox.ts';
import type { Offer } from './offer.ts';

export interface ToolRun {
  readonly argumentsJson: string;
  /** The tools that the caller may see. @defaultValue all */
  readonly view?: CallView | undefined;
  readonly session?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly broker: Broker;
  readonly signal?: AbortSignal | undefined;
  readonly onLog?: ((level: LogLevel, text: string) => void) | undefined;
  readonly onProgress?: ((json: string) => void) | undefined;
}

/** How a run ended, or why there was none. */
export type ToolOutcome =
  | RunOutcome
  /** The tool could not be made ready for its first call; nothing of it ran. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly usage: RunUsage };

/** One version of one callable tool, wherever it comes from. Immutable: an edit makes a new one. */
export interface Tool {
  readonly manifest: Manifest;
  /** Content hash of what the tool is; changes with every edit that matters. */
  readonly version: string;
  readonly origin: 'plugin' | 'function' | 'mcp' | 'builtin';
  /** Limits in force, after defaults and ceilings. */
  readonly limits: Limits;
  /** Set on what stands behind a resource or a prompt: it is called by the host alone, and is in no list of tools. */
  readonly offer?: Offer;
  /** Rules that JSON Schema can't say, such as the refinements of a Standard Schema; empty when all hold. */
  check?(value: unknown): Promise<readonly Issue[]>;
  /** Runs it with validated arguments. Never throws and never rejects. */
  run(run: ToolRun): Promise<ToolOutcome>;
  /** Turns a stack of the bundle into the plugin's own `index.ts:12`, or undefined. */
  locate?(stack: string): string | undefined;
}
