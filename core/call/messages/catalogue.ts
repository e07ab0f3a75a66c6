import type { ArgumentProblem, JsonProblem } from '../arguments/parse-arguments.ts';
import type { RepairKind } from '../arguments/repair-arguments.ts';
import type { ErrorCode, Issue } from '../result.ts';

export type Locale = 'en' | 'zh';

/** What a plugin's own error was about, by its word. */
export type ThrownKind = 'not_found' | 'permission' | 'timeout' | 'invalid_value' | 'network' | 'unknown';

interface About {
  /** Name of the tool, ready to print. */
  readonly tool: string;
}

interface WithDetail extends About {
  /** One redacted line from elsewhere (the plugin's message, the supervisor's remark). */
  readonly detail?: string | undefined;
}

interface Stopped extends WithDetail {
  /** The limit that was passed, in its own unit. */
  readonly limit: number;
}

/** What each code's sentences are made of. */
export interface MessageFacts {
  readonly unknown_tool: About & {
    readonly suggestions: readonly string[];
    readonly visible: readonly string[];
    readonly hidden: number;
  };
  readonly malformed_arguments: About & { readonly problem: JsonProblem };
  readonly truncated_arguments: About;
  readonly invalid_arguments: About;
  readonly not_approved: WithDetail & { readonly reason: 'refused' | 'timed_out' };
  readonly permission_denied: WithDetail;
  readonly tool_error: WithDetail & {
    readonly kind: Exclude<ThrownKind, 'not_found'>;
    readonly at?: string | undefined;
  };
  readonly not_found: WithDetail & { readonly at?: string | undefined };
  readonly invalid_result: WithDetail & {
    readonly kind: 'mismatch' | 'unwritable';
    readonly path?: string | undefined;
  };
  readonly timeout: Stopped;
  readonly cpu_limit: Stopped;
  readonly memory_limit: Stopped & { readonly at?: string | undefined };
  readonly output_limit: WithDetail & {
    readonly resultBytes: number;
    /** Absent where there is no such limit. */
    readonly logBytes?: number | undefined;
  };
  readonly host_call_limit: Stopped;
  readonly cancelled: About & { readonly started: boolean };
  readonly busy: WithDetail;
  readonly plugin_unavailable: WithDetail;
  readonly quarantined: WithDetail;
  readonly sandbox_crashed: WithDetail & { readonly started: boolean };
  readonly internal: About;
}

export interface ErrorText<Code extends ErrorCode> {
  /** What happened. */
  readonly message: (facts: MessageFacts[Code]) => string;
  /** What to do next. */
  readonly hint: (facts: MessageFacts[Code]) => string;
}

export interface Page {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly handle: string;
}

/** Every sentence that a model can read, in one language. */
export interface Catalogue {
  /** What every error text starts with. */
  readonly prefix: string;
  readonly errors: { readonly [Code in ErrorCode]: ErrorText<Code> };
  readonly issue: (issue: Issue) => string;
  readonly moreIssues: (count: number) => string;
  readonly argumentProblem: (problem: ArgumentProblem, path: string) => string;
  readonly repair: (kind: RepairKind, path: string) => string;
  readonly repeated: (count: number) => string;
  /** In place of running a call that failed so often that it is not run any more. */
  readonly notRunAgain: (count: number) => string;
  readonly example: (json: string) => string;
  readonly noValue: string;
  /** In the middle of a cut text: how much is missing and how to get it. */
  readonly leftOut: (omitted: number, total: number, handle: string | undefined, from: number) => string;
  readonly page: (page: Page) => string;
  readonly lastPage: (page: Page) => string;
  readonly noSuchText: string;
  readonly noSuchOffset: (total: number) => string;
  readonly part: (
    kind: 'image' | 'file',
    mimeType: string,
    bytes: number,
    name: string | undefined,
  ) => string;
}
