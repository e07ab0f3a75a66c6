export type { OpenAITool, ResponsesTool } from '../adapters/forms.ts';
export { openAIParts, openAIResult, responsesResult } from '../adapters/results.ts';
export { runAgent } from '../agent/run-agent.ts';
export { type RunnableToolsOptions, runnableTools } from '../agent/runnable-tools.ts';
export type {
  AgentEvent,
  AgentResult,
  ChatAgentOptions,
  ResponsesAgentOptions,
  StopReason,
} from '../agent/types.ts';
