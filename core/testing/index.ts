export type { NetAnswer, NetRequest, Responder } from './net-answers.ts';
export {
  type NetAnswers,
  openPlugin,
  type PluginLog,
  type PluginTestOptions,
  type TestedPlugin,
} from './open-plugin.ts';
