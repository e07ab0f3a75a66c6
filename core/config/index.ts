export type { ConfigProblem } from './check-config.ts';
export {
  type ApprovalSettings,
  type AuditSettings,
  CONFIG_FILE,
  type Config,
  type ConfigInput,
  DEFAULTS,
  type Locale,
  type PluginSource,
  type PluginSourceInput,
  type QuarantineSettings,
  type ResultFormat,
  type SandboxSettings,
  type TelemetrySettings,
  type Trust,
} from './config.ts';
export { configPathOf, dataPathOf, lockPathOf } from './config-paths.ts';
export { DEFAULT_CEILINGS, DEFAULT_LIMITS, type Limits } from './limits.ts';
export {
  type ConfigResult,
  formatConfigProblems,
  type ReadConfigOptions,
  readConfig,
} from './read-config.ts';
export { LIMIT_NAMES, type LimitWarning, type ResolvedLimits, resolveLimits } from './resolve-limits.ts';
