import type { ApprovalRule, PermissionRequest } from '../plugin/manifest.ts';
import { DEFAULT_CEILINGS, DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { McpServerInput, McpServerSettings } from './mcp-servers.ts';

export type Trust = 'declared' | 'granted';
export type Locale = 'en' | 'zh';
export type ResultFormat = 'pretty' | 'compact';

/** One folder of plugins and how far they are trusted. */
export interface PluginSource {
  /** Absolute path. */
  readonly dir: string;
  readonly trust: Trust;
  /** By plugin name; empty unless `trust` is `granted`. */
  readonly grants: Readonly<Record<string, PermissionRequest>>;
}

export interface QuarantineSettings {
  /** Worker deaths within the window after which a plugin isn't run again. @defaultValue 3 */
  readonly deaths: number;
  /** @defaultValue 60000 */
  readonly windowMs: number;
}

export interface SandboxSettings {
  /** Worker processes that declared plugins share. @defaultValue 2 */
  readonly workers: number;
  /** Live worker processes in all. @defaultValue 8 */
  readonly maxProcesses: number;
  /** Milliseconds after which a process without work is ended. @defaultValue 30000 */
  readonly idleMs: number;
  /** Memory of one worker process in MiB. @defaultValue 512 */
  readonly workerMemoryMb: number;
  /** Which plugins run without a JIT compiler. @defaultValue 'never' */
  readonly jitless: 'strangers' | 'never';
  readonly quarantine: QuarantineSettings;
}

/** One record a call, in JSON lines. */
export interface AuditSettings {
  /** The youngest file, absolute. @defaultValue .glovebox/audit.jsonl beside the config */
  readonly path: string;
  /** Bytes after which a file is put aside. @defaultValue 10485760 */
  readonly maxBytes: number;
  /** Files that are kept, the youngest included. @defaultValue 5 */
  readonly maxFiles: number;
  /** Write the arguments too, secrets taken out. @defaultValue false */
  readonly arguments: boolean;
}

export interface ApprovalSettings {
  /** For tools that no rule names; a plugin's own `approval` can only make it stricter. @defaultValue 'destructive' */
  readonly default: ApprovalRule;
  /** How long to wait for an answer, milliseconds. @defaultValue 120000 */
  readonly timeoutMs: number;
  /** By a tool's name or pattern (`github.*`); the first that matches wins, above what a plugin says. */
  readonly rules: readonly { readonly tools: string; readonly approval: ApprovalRule }[];
}

export interface ResultSettings {
  /** How a result that is no string is written for the model. @defaultValue 'pretty' */
  readonly format: ResultFormat;
  /** A limit in tokens besides `limits.resultChars`; needs the package gpt-tokenizer. */
  readonly tokens?: number;
}

/** Calls that fail in the same way again and again. */
export interface RepeatSettings {
  /** The failure of the same call that first says that it is a repeat. @defaultValue 3 */
  readonly tellAt: number;
  /** Failures after which the same call is not run any more; 0: never. @defaultValue 10 */
  readonly stopAt: number;
}

/** What spans carry besides names, codes and times; nothing is recorded without an OpenTelemetry SDK in the process. */
export interface TelemetrySettings {
  /** @defaultValue false */
  readonly arguments: boolean;
  /** @defaultValue false */
  readonly results: boolean;
}

/** What registry.config.json says, checked and with every default in place. */
export interface Config {
  /** The file that it came from, absolute; undefined for an object or for the defaults. */
  readonly file: string | undefined;
  /** What relative paths are relative to: the file's folder, or the working directory. */
  readonly baseDir: string;
  readonly plugins: readonly PluginSource[];
  /** Defaults of a call, cut at the ceilings. */
  readonly limits: Limits;
  readonly ceilings: Limits;
  readonly sandbox: SandboxSettings;
  readonly locale: Locale;
  readonly watch: boolean;
  readonly result: ResultSettings;
  /** Undefined: no audit is written. On by default where there is a config file. */
  readonly audit: AuditSettings | undefined;
  readonly approval: ApprovalSettings;
  readonly telemetry: TelemetrySettings;
  readonly repeats: RepeatSettings;
  /** A folder with more plugins than this lists them, and loads the code of each at its first call. @defaultValue 200 */
  readonly deferAbove: number;
  /** Other MCP servers whose tools are brought in. */
  readonly mcpServers: readonly McpServerSettings[];
}

/** A plugin folder as it is written in the file. */
export interface PluginSourceInput {
  readonly dir: string;
  readonly trust?: Trust;
  readonly grants?: Readonly<Record<string, PermissionRequest>>;
}

/** registry.config.json as it is written; schemas/registry.config.schema.json is its schema. */
export interface ConfigInput {
  readonly $schema?: string;
  readonly plugins?: string | readonly (string | PluginSourceInput)[];
  readonly limits?: Partial<Limits>;
  readonly ceilings?: Partial<Limits>;
  readonly sandbox?: Partial<Omit<SandboxSettings, 'quarantine'>> & {
    readonly quarantine?: Partial<QuarantineSettings>;
  };
  readonly locale?: Locale;
  readonly watch?: boolean;
  readonly result?: Partial<ResultSettings>;
  readonly audit?: boolean | Partial<AuditSettings>;
  readonly approval?: Partial<ApprovalSettings>;
  readonly telemetry?: Partial<TelemetrySettings>;
  readonly repeats?: Partial<RepeatSettings>;
  readonly deferAbove?: number;
  readonly mcpServers?: Readonly<Record<string, McpServerInput>>;
  /** VS Code's name for `mcpServers`. */
  readonly servers?: Readonly<Record<string, McpServerInput>>;
  /** VS Code's questions to a person. Nobody is asked here: a server that uses one says what to do instead. */
  readonly inputs?: readonly object[];
}

export const CONFIG_FILE = 'registry.config.json';
export const LOCK_FILE = 'registry.lock.json';
/** Where the host keeps what it writes, beside the config. */
export const DATA_DIRECTORY = '.glovebox';
export const AUDIT_FILE = 'audit.jsonl';

/** The one place of the defaults; the schema's `default`s are held against it by a test. */
export const DEFAULTS = {
  plugins: ['./plugins'],
  limits: DEFAULT_LIMITS,
  ceilings: DEFAULT_CEILINGS,
  sandbox: {
    workers: 2,
    maxProcesses: 8,
    idleMs: 30_000,
    workerMemoryMb: 512,
    jitless: 'never',
    quarantine: { deaths: 3, windowMs: 60_000 },
  },
  locale: 'en',
  watch: true,
  result: { format: 'pretty' },
  audit: { maxBytes: 10_485_760, maxFiles: 5, arguments: false },
  approval: { default: 'destructive', timeoutMs: 120_000, rules: [] },
  deferAbove: 200,
  repeats: { tellAt: 3, stopAt: 10 },
  telemetry: { arguments: false, results: false },
  mcpServers: {},
  servers: {},
  inputs: [],
} as const satisfies ConfigInput;
