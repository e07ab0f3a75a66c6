import { fillIn } from './references.ts';
import type { Arguments, Context } from './schema.d.ts';

type Step = Arguments['steps'][number];

export default async function runWorkflow({ steps, result }: Arguments, ctx: Context): Promise<unknown> {
  const ids = nameSteps(steps);
  const results = new Map<string, unknown>();
  let last: unknown;
  for (const [index, step] of steps.entries()) {
    const id = ids[index] ?? '';
    ctx.progress({ step: index + 1, of: steps.length, tool: step.tool });
    last = await runStep(step, { index, count: steps.length, id, ids, results }, ctx);
    results.set(id, last);
  }
  if (result === undefined) return last ?? null;
  try {
    return fillIn(result, results, ids);
  } catch (error) {
    throw new Error(`All ${steps.length} steps are done, but "result" is wrong: ${messageOf(error)}`);
  }
}

function nameSteps(steps: readonly Step[]): string[] {
  const ids = steps.map(({ id }, index) => id ?? `step${index + 1}`);
  for (const [index, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (first < index)
      throw new Error(`Steps ${first + 1} and ${index + 1} have the same id "${id}". Nothing was run.`);
  }
  return ids;
}

interface Position {
  readonly index: number;
  readonly count: number;
  readonly id: string;
  readonly ids: readonly string[];
  readonly results: ReadonlyMap<string, unknown>;
}

/** What `ctx.tools.call` answers. */
interface ToolAnswer {
  readonly ok: boolean;
  readonly content: string;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

async function runStep(step: Step, position: Position, ctx: Context): Promise<unknown> {
  const { ids, results } = position;
  let args: unknown;
  try {
    args = fillIn(step.arguments ?? {}, results, ids);
  } catch (error) {
    throw new Error(`${where(step, position)} was not run: ${messageOf(error)}${aftermath(position)}`);
  }
  let answer: ToolAnswer;
  try {
    answer = (await ctx.tools.call(step.tool, args)) as ToolAnswer; // the host's answer
  } catch (error) {
    // The host's own denial stays what it is; it names the tool.
    if (Reflect.get(Object(error), 'code') === 'permission_denied') {
      ctx.log.warn(`${where(step, position)} is not permitted`);
      throw error;
    }
    throw new Error(`${where(step, position)} failed: ${messageOf(error)}${aftermath(position)}`);
  }
  if (answer.ok) return answer.value === undefined ? answer.content : answer.value;
  const said = (answer.error?.message ?? answer.content).replace(/^(Error: |错误：)/, '');
  throw new Error(`${where(step, position)} failed: ${shorten(said)}${aftermath(position)}`);
}

function where({ tool }: Step, { index, count, id }: Position): string {
  const named = id === `step${index + 1}` ? tool : `${id}, ${tool}`;
  return `Step ${index + 1} of ${count} (${named})`;
}

function aftermath({ index }: Position): string {
  if (index === 0) return '';
  return index === 1 ? ' Step 1 was done.' : ` Steps 1-${index} were done.`;
}

/** What is told of an error is short; which step it was must not be cut off. */
const LONGEST_REASON = 110;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON).toWellFormed()}…`;
}

function messageOf(error: unknown): string {
  return shorten(error instanceof Error ? error.message : String(error));
}
