export { type BoundTool, bindTools } from '../adapters/bound-tools.ts';
export {
  type StandardSchemaOptions,
  type StandardToolSchema,
  toStandardSchema,
} from '../adapters/standard-schema.ts';
