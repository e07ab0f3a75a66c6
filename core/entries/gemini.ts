export type { GeminiFunction, GeminiTool } from '../adapters/forms.ts';
export { geminiResult } from '../adapters/results.ts';
