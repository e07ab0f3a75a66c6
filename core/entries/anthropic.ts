export type { AnthropicTool } from '../adapters/forms.ts';
export { anthropicResult } from '../adapters/results.ts';
