import { existsSync } from 'node:fs';
import { keepCompiled } from './compile-cache.js';

// A checkout runs its source; a package holds only what was built.
const source = new URL('../core/cli/main.ts', import.meta.url);
// Node strips no types below node_modules, whatever lies there.
const isCheckout = existsSync(source) && !source.pathname.includes('/node_modules/');
keepCompiled();
const { main } = await import(
  isCheckout ? source.href : new URL('../dist/core/cli/main.js', import.meta.url).href
);
await main(process.argv);
