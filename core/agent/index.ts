export { runAgent } from './run-agent.ts';
export { type RunnableToolsOptions, runnableTools } from './runnable-tools.ts';
export type {
  AgentEvent,
  AgentResult,
  AgentTools,
  ChatAgentOptions,
  ResponsesAgentOptions,
  StopReason,
  TokenUsage,
  ToolHost,
} from './types.ts';
