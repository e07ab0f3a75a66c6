export { diagnose } from './diagnose.ts';
export { judgeEngineVersion } from './engine.ts';
export type { Diagnosis } from './finding.ts';
