export { type InspectOptions, Inspector } from './inspector.ts';
