export * from './adapters/index.ts';
export * from './agent/index.ts';
export type { AuditEntry } from './audit/index.ts';
export type { CallRequest, CallView } from './call/call.ts';
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
export type { Kind, Prompt, PromptArgument, Resource } from './catalog/offer.ts';
export type { Tool } from './catalog/tool.ts';
export { Toolset, type ToolsetOptions } from './catalog/toolset.ts';
export type { Selection, View } from './catalog/view.ts';
export type { Config, ConfigInput, ConfigProblem, Limits } from './config/index.ts';
export { createHost, type Host } from './host.ts';
export { ConfigError, type HostOptions } from './host-options.ts';
export type { ApprovalAnswer, ApprovalRequest, AskForApproval } from './permissions/index.ts';
export type {
  Annotations,
  Example,
  JsonSchema,
  Manifest,
  PermissionRequest,
  Warning,
} from './plugin/manifest.ts';
export type { LoadProblem } from './plugin/problem.ts';
export type { ListedPrompt, ListedPromptArgument, PromptResult, Prompts } from './prompts/prompts.ts';
export type { PromptMessage } from './prompts/template.ts';
export type { Completion } from './resources/completion.ts';
export type { ResourceContents } from './resources/contents.ts';
export type { ReadOptions } from './resources/offer-calls.ts';
export type { OfferError, OfferFailure } from './resources/offer-error.ts';
export type {
  CompletionOptions,
  ListedResource,
  ListedTemplate,
  ReadResult,
  Resources,
} from './resources/resources.ts';
export type { UriVariables } from './resources/uri-template.ts';
