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
  type RepeatSettings,
  type ResultFormat,
  type ResultSettings,
  type SandboxSettings,
  type TelemetrySettings,
  type Trust,
} from './config.ts';
export { configPathOf, dataPathOf, lockPathOf } from './config-paths.ts';
export { DEFAULT_CEILINGS, DEFAULT_LIMITS, LEAST_LIMITS, type Limits } from './limits.ts';
export {
  MCP_SERVER_DEFAULTS,
  type McpServerInput,
  type McpServerSettings,
  type ServerAddress,
  type ServerTrust,
  serverApprovalRules,
  serverPath,
} from './mcp-servers.ts';
export {
  type ConfigResult,
  formatConfigProblems,
  type ReadConfigOptions,
  readConfig,
} from './read-config.ts';
export { LIMIT_NAMES, type LimitWarning, type ResolvedLimits, resolveLimits } from './resolve-limits.ts';
