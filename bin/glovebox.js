#!/usr/bin/env node
// ES5 without imports, so that a wrong Node can read it too and say in one line that it is one.
var NEEDED = 24;
if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    'glovebox needs Node ' +
      NEEDED +
      ' or newer; this is ' +
      process.version +
      '. Install it (or "npm i -D node@' +
      NEEDED +
      '") and try again.\n',
  );
  process.exitCode = 2;
} else {
  import('./start.js');
}
