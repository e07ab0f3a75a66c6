import { createRequire } from 'node:module';
// The generator brings the last TypeScript that has a JavaScript API; `typescript` itself is a later one, without it.
import type ts from '../../../node_modules/ts-json-schema-generator/node_modules/typescript/lib/typescript.d.ts';

export type { ts };

const ours = createRequire(import.meta.url);
const generators = createRequire(ours.resolve('ts-json-schema-generator'));

/** The compiler that the generator works with: nodes of another one are not its nodes. */
export const compiler: typeof ts = generators('typescript');
