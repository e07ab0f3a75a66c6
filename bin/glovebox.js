#!/usr/bin/env node
// Plain JavaScript that any Node can read: the check of the version must be able to run on a wrong one.
import { existsSync } from 'node:fs';

const NEEDED = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED) {
  process.stderr.write(
    `glovebox needs Node ${NEEDED} or newer; this is ${process.version}. Install it (or "npm i -D node@${NEEDED}") and try again.\n`,
  );
  process.exitCode = 2;
} else {
  // A checkout runs its source; a package holds only what was built.
  const source = new URL('../core/cli/main.ts', import.meta.url);
  // Node strips no types below node_modules, whatever lies there.
  const isCheckout = existsSync(source) && !source.pathname.includes('/node_modules/');
  const { main } = await import(
    isCheckout ? source.href : new URL('../dist/core/cli/main.js', import.meta.url).href
  );
  await main(process.argv);
}
