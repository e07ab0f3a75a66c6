import type { Catalogue, MessageFacts } from '../messages/catalogue.ts';
import type { ErrorCode, Issue, Outcome, Retry, ToolError } from '../result.ts';

interface ErrorRow {
  readonly outcome: Outcome;
  readonly retry: Retry;
}

/**
 * One row a code: did the tool's code have effects, and is it worth calling again. The sentences of the same codes
 * are in the catalogues. Where the row depends on the case (had the code begun?), the maker of the error overrides it.
 */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  unknown_tool: { outcome: 'did_not_run', retry: 'after_change' },
  malformed_arguments: { outcome: 'did_not_run', retry: 'after_change' },
  truncated_arguments: { outcome: 'did_not_run', retry: 'after_change' },
  invalid_arguments: { outcome: 'did_not_run', retry: 'after_change' },
  not_approved: { outcome: 'did_not_run', retry: 'never' },
  permission_denied: { outcome: 'failed', retry: 'after_change' },
  tool_error: { outcome: 'failed', retry: 'after_change' },
  not_found: { outcome: 'failed', retry: 'after_change' },
  invalid_result: { outcome: 'failed', retry: 'never' },
  timeout: { outcome: 'unknown', retry: 'after_change' },
  cpu_limit: { outcome: 'unknown', retry: 'after_change' },
  memory_limit: { outcome: 'unknown', retry: 'after_change' },
  output_limit: { outcome: 'unknown', retry: 'after_change' },
  host_call_limit: { outcome: 'unknown', retry: 'after_change' },
  cancelled: { outcome: 'did_not_run', retry: 'as_is' },
  busy: { outcome: 'did_not_run', retry: 'as_is' },
  plugin_unavailable: { outcome: 'did_not_run', retry: 'as_is' },
  quarantined: { outcome: 'did_not_run', retry: 'never' },
  sandbox_crashed: { outcome: 'unknown', retry: 'never' },
  internal: { outcome: 'did_not_run', retry: 'never' },
};

export interface ErrorOverrides extends Partial<ErrorRow> {
  readonly issues?: readonly Issue[];
}

/** The error of one code, in the catalogue's language. */
export function toolError<Code extends ErrorCode>(
  catalogue: Catalogue,
  code: Code,
  facts: MessageFacts[Code],
  { issues, ...overrides }: ErrorOverrides = {},
): ToolError {
  const text = catalogue.errors[code];
  const row = { ...ERROR_TABLE[code], ...overrides };
  const listed = issues === undefined || issues.length === 0 ? {} : { issues };
  return { code, message: text.message(facts), hint: text.hint(facts), ...listed, ...row };
}

const MAX_LISTED_ISSUES = 20;
const MAX_ISSUE_CHARS = 500;

/** What a model reads of an error: prefix and message, the issues one a line, the hint. */
export function errorContent(catalogue: Catalogue, error: ToolError): string {
  const issues = error.issues ?? [];
  const lines = issues.slice(0, MAX_LISTED_ISSUES).map((issue) => `- ${cutLine(catalogue.issue(issue))}`);
  if (issues.length > MAX_LISTED_ISSUES)
    lines.push(`- ${catalogue.moreIssues(issues.length - MAX_LISTED_ISSUES)}`);
  return [
    `${catalogue.prefix}${error.message}`,
    ...lines,
    ...(error.hint === undefined ? [] : [error.hint]),
  ].join('\n');
}

function cutLine(line: string): string {
  return line.length > MAX_ISSUE_CHARS ? `${line.slice(0, MAX_ISSUE_CHARS - 1).toWellFormed()}…` : line;
}
