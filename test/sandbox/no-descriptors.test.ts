import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const PROGRAMS = path.join(import.meta.dirname, 'programs.ts');

const SCRIPT = `
  import { closeSync, openSync } from 'node:fs';
  const { openSandbox, program, request } = await import(process.argv[1]);
  const sandbox = await openSandbox();
  const run = (name) => sandbox.run(request(program(name, 'return 1;', { isolation: 'dedicated' })));
  const before = await run('first');
  const held = [];
  try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {}
  // One of them may get the process that waits; the others need a new one.
  const meanwhile = await Promise.all(['second', 'third', 'fourth'].map(run));
  for (const file of held) closeSync(file);
  const after = await run('fifth');
  await sandbox.close();
  console.log(JSON.stringify([before, ...meanwhile, after].map(({ kind }) => kind)));
`;

test.skipIf(process.platform === 'win32')(
  'a host that has no file descriptor left answers each call, and goes on when it has some again',
  async () => {
    const limited = 'ulimit -n 100; exec "$0" "$@"';
    const args = ['-c', limited, process.execPath, '--input-type=module', '--eval', SCRIPT, PROGRAMS];
    const host = spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, said] = await Promise.all([text(host.stdout), text(host.stderr), once(host, 'close')]);
    expect(said).toBe('');
    const [before, ...rest] = JSON.parse(out);
    expect(before).toBe('value');
    expect(rest).toHaveLength(4);
    expect(rest.at(-1)).toBe('value');
  },
  60_000,
);
