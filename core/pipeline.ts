import { type AuditEntry, createAuditEntry, type PendingEntry } from './audit/index.ts';
import type { Authorisation, CallContext, CallRecord, CallView, Lookup } from './call/call.ts';
import { createExecutor, type Executor } from './call/executor.ts';
import type { TextStore } from './call/result/text-store.ts';
import { Validators } from './call/validators.ts';
import type { Tool } from './catalog/tool.ts';
import type { Config } from './config/index.ts';
import { serverApprovalRules } from './config/mcp-servers.ts';
import { faultOf } from './guarded.ts';
import type { HostOptions } from './host-options.ts';
import { createApprover } from './permissions/index.ts';

export interface PipelineParts {
  readonly config: Config;
  readonly options: HostOptions;
  readonly store: TextStore;
  readonly lookup: (name: string, view: CallView | undefined) => Lookup;
  readonly authorise: (tool: Tool, call: CallContext) => Authorisation;
  readonly write: (entry: AuditEntry | PendingEntry) => void;
  /**
   * For resources and prompts: a program or a person reads them, not a model that can be asked to go on with `read_more`
   * or told that it repeats itself; and reading needs no approval.
   */
  readonly isReading?: boolean;
}

/** The executor, with the config's and the embedding program's word on approvals, texts and the audit. */
export function createPipeline({
  config,
  options,
  store,
  lookup,
  authorise,
  write,
  isReading = false,
}: PipelineParts): Executor {
  const { locale, result, repeats } = config;
  const { onApproval, onLog, onProblem, redact, resultTokens } = options;
  const validators = new Validators(locale);
  return createExecutor(
    {
      lookup: (name, _session, view) => lookup(name, view),
      validatorFor: (tool, part) => validators.for(tool, part),
      ...(isReading ? {} : { approve: approverOf(config, onApproval) }),
      authorise,
      audit: recorder(config, options, write),
      log: (tool, _call, level, text) => onLog?.(tool.manifest.name, level, text),
      fault: (stage, error) => onProblem?.(faultOf(stage, error)),
    },
    {
      ...{ locale, format: result.format, store, repeats: isReading ? NEVER : repeats },
      ...(redact === undefined ? {} : { redact }),
      ...(resultTokens === undefined || isReading ? {} : { resultTokens }),
    },
  );
}

const NEVER = { tellAt: Number.POSITIVE_INFINITY, stopAt: 0 };

function approverOf({ approval, mcpServers }: Config, ask: HostOptions['onApproval']) {
  return createApprover({
    settings: [...approval.rules, ...serverApprovalRules(mcpServers)],
    defaultRule: approval.default,
    timeoutMs: approval.timeoutMs,
    ...(ask === undefined ? {} : { ask }),
  });
}

function recorder({ audit }: Config, { onAudit }: HostOptions, write: PipelineParts['write']) {
  if (audit === undefined && onAudit === undefined) return () => {};
  return (record: CallRecord): void => {
    const time = new Date();
    const make = () => createAuditEntry(record, { arguments: audit?.arguments ?? false, time });
    if (onAudit === undefined) {
      write({ make, chars: charsOf(record) });
      return;
    }
    const entry = make();
    if (audit !== undefined) write(entry);
    // Handed on: what a listener promises may fail, and the executor tells of that.
    return onAudit(entry);
  };
}

/** What may be long in it. */
function charsOf({ arguments: text, error, uses }: CallRecord): number {
  let chars = text.length + (error?.message.length ?? 0);
  for (const { target } of uses) chars += target.length;
  return chars;
}
