import type { AuditEntry } from './audit/index.ts';
import type { TextLimit } from './call/result/cut-text.ts';
import { suggestNames } from './call/suggest-names.ts';
import type { ConfigInput, ConfigProblem } from './config/index.ts';
import type { InspectOptions } from './inspect/index.ts';
import type { AskForApproval } from './permissions/index.ts';
import type { LoadProblem } from './plugin/problem.ts';
import type { LogLevel } from './sandbox/sandbox.ts';

export interface HostOptions {
  /** A file name, the config itself, or nothing: registry.config.json in the working directory, else the defaults. */
  readonly config?: string | ConfigInput;
  /** Follow the plugin directories, the config's grants and the lock. @defaultValue the config's `watch`, which is true by default */
  readonly watch?: boolean;
  /**
   * A plugin of the operator's own that Chrome DevTools may attach to, on the loopback. It runs without deadlines, in a
   * process of its own.
   */
  readonly inspect?: InspectOptions;
  /** What plugins log, `console` included. */
  readonly onLog?: (tool: string, level: LogLevel, text: string) => void;
  /**
   * Decides about calls that need an approval: tools that are `destructive`, whose `approval` is `always`, or that the
   * config's `approval` names. Absent: such calls are refused.
   */
  readonly onApproval?: AskForApproval;
  /** Each call's line of the audit, whether or not the config writes it to a file. */
  readonly onAudit?: (entry: AuditEntry) => void;
  /** How far the first load of the plugins is. A plugin may be loaded by then and not serve yet. */
  readonly onLoading?: (done: number, total: number, name: string) => void;
  /** Trouble that belongs to no call and no plugin: a folder that can't be read, a fault of the runtime. */
  readonly onProblem?: (problem: LoadProblem) => void;
  /** Applied to every text that leaves: results, errors, logs, progress, audit. Secrets are out already. */
  readonly redact?: (text: string) => string;
  /** Counts the tokens of a result for a limit in tokens. @defaultValue gpt-tokenizer, with the config's `result.tokens` */
  readonly resultTokens?: TextLimit['tokens'];
}

const OPTION_NAMES: readonly string[] = [
  'config',
  'watch',
  'onLog',
  'onApproval',
  'inspect',
  'onAudit',
  'onLoading',
  'onProblem',
  'redact',
  'resultTokens',
] satisfies (keyof HostOptions)[];

/** @throws TypeError for an option that does not exist. */
export function checkHostOptions(options: HostOptions): void {
  for (const key of Object.keys(options)) {
    if (OPTION_NAMES.includes(key)) continue;
    const [meant] = suggestNames(key, OPTION_NAMES);
    const hint = meant === undefined ? `known are ${OPTION_NAMES.join(', ')}` : `did you mean "${meant}"?`;
    throw new TypeError(`createHost has no option "${key}"; ${hint} A config goes into "config".`);
  }
}

/** A wrong config; thrown by `createHost`, since nothing can run without one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(message: string, problems: readonly ConfigProblem[]) {
    super(message);
    this.problems = problems;
  }
}
