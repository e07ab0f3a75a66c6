export { formatGitHub, formatJson, formatText } from './format.ts';
export { type CheckReport, runCheck } from './run-check.ts';
export type { Target } from './subject.ts';
