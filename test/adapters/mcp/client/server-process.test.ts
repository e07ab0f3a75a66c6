import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const MODULE = path.resolve(import.meta.dirname, '../../../../core/adapters/mcp/client/server-process.ts');

const SCRIPT = `
  import { openSync } from 'node:fs';
  const { ServerProcess } = await import(process.argv[1]);
  try { for (;;) openSync('/dev/null', 'r'); } catch {}
  await ServerProcess.start({ file: '/bin/cat', args: [], cwd: '/', env: {} }).catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  process.exit(7);
`;

test.skipIf(process.platform === 'win32')(
  'a server that no file descriptor is left for does not end the host',
  async () => {
    const limited = 'ulimit -n 100; exec "$0" "$@"';
    const args = ['-c', limited, process.execPath, '--input-type=module', '--eval', SCRIPT, MODULE];
    const host = spawn('/bin/sh', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [[code], said] = await Promise.all([once(host, 'close'), text(host.stderr)]);
    expect(said).not.toContain('EMFILE');
    expect(code).toBe(7);
  },
);
