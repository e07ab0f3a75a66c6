export { type BoundTool, bindTools } from './bound-tools.ts';
export { type Exported, type ExportNote, type ExportOptions, exportTools, type ToolForms } from './export.ts';
export type {
  AnthropicTool,
  GeminiFunction,
  GeminiTool,
  McpTool,
  OpenAITool,
  ResponsesTool,
} from './forms.ts';
export { checkSchema, type SchemaProblem } from './legal.ts';
export { type LintOptions, lintTools, type ToolProblem } from './lint.ts';
export type { RestoredCall, ToolMapping } from './mapping.ts';
export { isLegalName, legalNames } from './names.ts';
export { anthropicResult, geminiResult, openAIParts, openAIResult, responsesResult } from './results.ts';
export { type StandardSchemaOptions, type StandardToolSchema, toStandardSchema } from './standard-schema.ts';
export { TARGET_RULES, TARGETS, type Target } from './targets.ts';
