import type { AgentResult } from '../agent/types.ts';
import type { CallResult } from '../call/result.ts';
import type { Tool } from '../catalog/tool.ts';
import type { Manifest } from '../plugin/manifest.ts';
import { printable } from './printable.ts';

const MAX_LINE_CHARS = 200;
/** A question for approval is shown long: nobody should say yes to what was cut off. */
const MAX_QUESTION_CHARS = 4_000;

export function callLine(name: string, args: unknown): string {
  return `-> ${short(`${name} ${textOf(args)}`)}`;
}

export function resultLine(name: string, result: CallResult): string {
  return `<- ${short(`${name}: ${result.content}`)}`;
}

export function toolLines(tools: readonly Tool[]): string[] {
  return tools.map(({ manifest }) => short(`${manifest.name}: ${manifest.description}`));
}

export function questionLines({ name, description }: Manifest, args: unknown): string[] {
  const text = printable(textOf(args));
  const cut =
    text.length > MAX_QUESTION_CHARS ? [`(${text.length - MAX_QUESTION_CHARS} more characters)`] : [];
  return [
    `The model wants to call ${short(name)}: ${short(description)}`,
    text.slice(0, MAX_QUESTION_CHARS),
    ...cut,
  ];
}

/** Why an answer ended early; undefined where it did not. */
export function endLine({ reason, error, iterations }: AgentResult<unknown>): string | undefined {
  switch (reason) {
    case 'done':
      return undefined;
    case 'length':
      return '(cut: the model reached its token limit)';
    case 'content_filter':
      return '(withheld by a content filter)';
    case 'max_iterations':
      return `(stopped after ${iterations} requests; ask again to go on)`;
    case 'aborted':
      return '(stopped)';
    case 'failed':
      return `(the model endpoint failed: ${short(error?.message ?? 'no reason given')})`;
  }
}

function textOf(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
}

function short(text: string): string {
  const line = printable(text.slice(0, MAX_LINE_CHARS * 2))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}...`;
}
