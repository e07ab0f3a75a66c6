import type { PermissionRequest } from '../plugin/manifest.ts';
import { DEFAULT_CEILINGS, DEFAULT_LIMITS, type Limits } from './limits.ts';

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
  readonly result: { readonly format: ResultFormat };
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
  readonly result?: { readonly format?: ResultFormat };
}

export const CONFIG_FILE = 'registry.config.json';

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
} as const satisfies ConfigInput;
