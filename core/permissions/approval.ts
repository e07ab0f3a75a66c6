import type { Approval, CallContext } from '../call/call.ts';
import type { Eventually } from '../call/eventually.ts';
import type { Tool } from '../catalog/tool.ts';
import type { ApprovalRule } from '../plugin/manifest.ts';
import { isRecord } from '../schema/pointer.ts';
import { namePattern } from './name-pattern.ts';

/** The operator's word on some tools; it stands above what the plugins say. */
export interface ApprovalSetting {
  /** A tool's name or a pattern: `github.*`. */
  readonly tools: string;
  readonly approval: ApprovalRule;
}

/** What a person is asked. */
export interface ApprovalRequest {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly session?: string;
  /** Aborted when the answer no longer matters: time is up or the call has ended. */
  readonly signal: AbortSignal;
}

export type ApprovalAnswer =
  | boolean
  | {
      readonly approved: boolean;
      /** Read by the model after a refusal. */
      readonly reason?: string;
      /** `session`: don't ask again for this version of the tool in this session. */
      readonly remember?: 'session';
    };

/** Asks whoever may decide. A rejection counts as a refusal. */
export type AskForApproval = (request: ApprovalRequest) => Promise<ApprovalAnswer> | ApprovalAnswer;

export interface ApproverOptions {
  /** First match wins. */
  readonly settings?: readonly ApprovalSetting[];
  /** For tools that no setting names. A plugin's own `approval` can only make it stricter. @defaultValue 'destructive' */
  readonly defaultRule?: ApprovalRule;
  /** Absent: what would need an approval is refused. */
  readonly ask?: AskForApproval;
  /** How long to wait for an answer, milliseconds. @defaultValue 120000 */
  readonly timeoutMs?: number;
}

export type Approver = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  call: Pick<CallContext, 'session' | 'signal' | 'ask'>,
) => Eventually<Approval>;

const DEFAULT_TIMEOUT_MS = 120_000;
const MOST_REMEMBERED = 1_000;
const LONGEST_REASON = 300;

/** Decides whether a call may run, asking where a rule says so. Never rejects. */
export function createApprover(options: ApproverOptions = {}): Approver {
  const ruleOf = createRules(options);
  const ask = createQuestion(options);
  return (tool, args, call) => (isAsked(ruleOf(tool), tool) ? ask(tool, args, call) : APPROVED);
}

const APPROVED: Approval = { kind: 'approved' };

function createQuestion(options: ApproverOptions) {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const remembered = new Set<string>();
  return async (...[tool, args, call]: Parameters<Approver>): Promise<Approval> => {
    const key =
      call.session === undefined
        ? undefined
        : JSON.stringify([call.session, tool.manifest.name, tool.version]);
    if (key !== undefined && remembered.has(key)) return APPROVED;
    const ask = call.ask ?? options.ask;
    if (!ask) return { kind: 'refused', reason: 'it needs an approval and nobody can be asked here' };
    const session = call.session === undefined ? {} : { session: call.session };
    const answer = await within(timeoutMs, call.signal, (signal) =>
      ask({ tool, arguments: args, ...session, signal }),
    );
    if (typeof answer === 'string')
      return answer === 'timed_out' ? { kind: answer } : { kind: 'refused', reason: answer };
    const said = read(answer);
    if (said.approved !== true) {
      return { kind: 'refused', ...(said.reason ? { reason: said.reason.slice(0, LONGEST_REASON) } : {}) };
    }
    if (said.remember === 'session' && key !== undefined && remembered.size < MOST_REMEMBERED)
      remembered.add(key);
    return APPROVED;
  };
}

/** An embedder without types may answer anything. Only what clearly says yes is one. */
function read(answer: unknown): Exclude<ApprovalAnswer, boolean> {
  if (!isRecord(answer)) return { approved: answer === true };
  const { approved, reason, remember } = answer;
  return {
    approved: approved === true,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(remember === 'session' ? { remember } : {}),
  };
}

const STRICTNESS: Readonly<Record<ApprovalRule, number>> = { never: 0, destructive: 1, always: 2 };

function createRules({
  settings = [],
  defaultRule = 'destructive',
}: ApproverOptions): (tool: Tool) => ApprovalRule {
  const compiled = settings.map(({ tools, approval }) => ({ approval, pattern: namePattern(tools) }));
  return (tool) => {
    const set = compiled.find(({ pattern }) => pattern.matches(tool.manifest.name));
    if (set) return set.approval;
    const own = tool.manifest.approval ?? 'never';
    return STRICTNESS[own] > STRICTNESS[defaultRule] ? own : defaultRule;
  };
}

function isAsked(rule: ApprovalRule, tool: Tool): boolean {
  if (rule === 'destructive') return tool.manifest.annotations.destructive === true;
  return rule === 'always';
}

type Ended = 'timed_out' | 'the call was cancelled' | 'the question failed';

async function within<Value extends object | boolean>(
  milliseconds: number,
  callSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value> | Value,
): Promise<Value | Ended> {
  if (callSignal?.aborted) return 'the call was cancelled';
  const ending = new AbortController();
  const ended = Promise.withResolvers<Ended>();
  const timer = setTimeout(() => ended.resolve('timed_out'), milliseconds);
  const cancel = () => ended.resolve('the call was cancelled');
  callSignal?.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([work(ending.signal), ended.promise]);
  } catch {
    return 'the question failed';
  } finally {
    clearTimeout(timer);
    callSignal?.removeEventListener('abort', cancel);
    ending.abort();
  }
}
