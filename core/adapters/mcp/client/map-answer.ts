import { CATALOGUES } from '../../../call/messages/catalogues.ts';
import { readContent } from '../../../call/result/content-parts.ts';
import type { Redactor } from '../../../permissions/index.ts';
import type { RunOutcome, RunUsage, StopReason } from '../../../sandbox/sandbox.ts';
import { isRecord } from '../../../schema/pointer.ts';
import type { ServerAnswer } from './connection.ts';

export interface AnswerContext {
  readonly usage: RunUsage;
  readonly redactor: Redactor;
  /** Has the tool an output schema? */
  readonly hasReturns: boolean;
  readonly resultBytes: number;
}

/** A server's answer as the outcome of a run, secrets taken out. */
export function outcomeOf(answer: ServerAnswer, context: AnswerContext): RunOutcome {
  const { usage, redactor } = context;
  const stopped = (reason: StopReason, detail?: string): RunOutcome => ({
    kind: 'stopped',
    reason,
    started: true,
    usage,
    ...(detail === undefined ? {} : { detail: redactor.text(detail) }),
  });
  const thrown = (message: string): RunOutcome => ({
    kind: 'thrown',
    usage,
    error: { name: 'Error', message: redactor.text(message) },
  });
  switch (answer.kind) {
    case 'result':
      return resultOutcome(answer.result, context);
    case 'refused':
      return thrown(answer.message);
    case 'unusable':
      return thrown(`its server's answer is of no use: ${answer.message}`);
    case 'too_large':
      return stopped('output_limit');
    case 'lost':
      return stopped('sandbox_crashed', answer.message);
  }
}

function resultOutcome(result: Readonly<Record<string, unknown>>, context: AnswerContext): RunOutcome {
  const { usage, redactor, hasReturns, resultBytes } = context;
  const isError = result.isError === true;
  const { structuredContent } = result;
  // The check of the result finds that it is not of the form that was promised, and says so.
  if (hasReturns && !isError && structuredContent === undefined)
    return { kind: 'value', json: 'null', usage };
  const content = (Array.isArray(result.content) ? result.content : []).map(contentItem);
  const value = contentOf(content, structuredContent, isError);
  if (value === undefined) return { kind: 'value', json: undefined, usage };
  const json = JSON.stringify(redactor.json(value));
  if (Buffer.byteLength(json) > resultBytes)
    return { kind: 'stopped', reason: 'output_limit', started: true, usage };
  return { kind: 'value', json, usage };
}

function contentOf(content: readonly unknown[], structuredContent: unknown, isError: boolean): unknown {
  if (isError)
    return { content: content.length === 0 ? [{ type: 'text', text: 'no reason given' }] : content, isError };
  if (content.length === 0) return structuredContent;
  return structuredContent === undefined ? { content } : { content, structuredContent };
}

/** One that we can't show must not take the others' form away. */
function contentItem(item: unknown): unknown {
  if (readContent({ content: [item] }, CATALOGUES.en) !== undefined) return item;
  const type = isRecord(item) && typeof item.type === 'string' ? item.type.slice(0, 50) : 'unknown';
  return { type: 'text', text: `[content of the type ${JSON.stringify(type)} that can't be shown]` };
}
