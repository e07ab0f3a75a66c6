export type { CallRequest } from './call/call.ts';
export type { FunctionToolDefinition, ToolFunction } from './call/function-tool.ts';
export type {
  CallFailure,
  CallResult,
  CallSuccess,
  ContentPart,
  ErrorCode,
  Issue,
  Outcome,
  Repair,
  Retry,
  ToolError,
  Usage,
} from './call/result.ts';
export type { Catalog, CatalogEntry, CatalogEvents, EntryState } from './catalog/catalog.ts';
export type { Tool } from './catalog/tool.ts';
export type { Selection, View } from './catalog/view.ts';
export type { Config, ConfigInput, ConfigProblem, Limits } from './config/index.ts';
export { ConfigError, createHost, type Host, type HostOptions } from './host.ts';
export type {
  Annotations,
  Example,
  JsonSchema,
  Manifest,
  PermissionRequest,
  Warning,
} from './plugin/manifest.ts';
export type { LoadProblem } from './plugin/problem.ts';
