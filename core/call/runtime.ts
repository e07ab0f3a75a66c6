import type { Tool } from '../catalog/tool.ts';
import { guarded } from '../guarded.ts';
import { stripAnsi } from '../strip-ansi.ts';
import type { Trace } from './answer.ts';
import type { CallRequest, ExecutorDependencies } from './call.ts';
import type { Catalogue, Locale } from './messages/catalogue.ts';
import type { RepeatOptions, Repeats } from './repeats.ts';
import type { TextLimit } from './result/cut-text.ts';
import type { Redact } from './result/redact-value.ts';
import type { TextStore } from './result/text-store.ts';

export interface ExecutorOptions {
  /** Language of everything that a model reads. @defaultValue 'en' */
  readonly locale?: Locale;
  /** How results that are no text are written. @defaultValue 'pretty' */
  readonly format?: 'pretty' | 'compact';
  /** A limit in tokens besides `resultChars`; see `loadTokenCounter`. */
  readonly resultTokens?: TextLimit['tokens'];
  readonly repeats?: RepeatOptions;
  /** Applied to every text that leaves: results, errors, logs, progress. */
  readonly redact?: Redact;
  /** Where cut results wait for `read_more`; share it with `createReadMoreTool`. */
  readonly store?: TextStore;
}

/** What all calls of one executor share. */
export interface Runtime {
  readonly dependencies: ExecutorDependencies;
  readonly options: ExecutorOptions;
  readonly catalogue: Catalogue;
  readonly store: TextStore;
  readonly repeats: Repeats;
  readonly now: () => number;
}

export function limitOf({ options }: Runtime, tool: Tool): TextLimit {
  const chars = tool.limits.resultChars;
  return options.resultTokens === undefined ? { chars } : { chars, tokens: options.resultTokens };
}

/** What the repeat detection knows a call by. */
export function identify(runtime: Runtime, request: CallRequest, trace: Trace): string {
  trace.key ??= runtime.repeats.key({
    session: request.session,
    tool: trace.tool?.manifest.name ?? String(request.name),
    version: trace.tool?.version ?? '',
    arguments: request.arguments,
  });
  return trace.key;
}

export function reportFault({ dependencies }: Runtime, stage: string, error: unknown): void {
  try {
    dependencies.fault?.(stage, error);
  } catch {
    // The reporter of faults is broken itself: there is nobody left to tell.
  }
}

/** A listener's mistake must not become the call's: it is a fault that the operator is told of. */
export function tellListener(runtime: Runtime, stage: string, listener: () => unknown): void {
  guarded(listener, (error) => reportFault(runtime, stage, error));
}

const MAX_NAME_CHARS = 80;

/** A name as it came, fit to be printed: a model can write anything there. */
export function printName(name: unknown): string {
  const line = stripAnsi(String(name))
    .replace(/[\s\p{Cc}"\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length > MAX_NAME_CHARS ? `${line.slice(0, MAX_NAME_CHARS - 1).toWellFormed()}…` : line;
}
