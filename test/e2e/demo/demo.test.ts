import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

it('the demo runs to its end by itself, and each of its steps holds', async () => {
  const root = path.join(import.meta.dirname, '../../..');
  const child = spawn(process.execPath, ['demo/demo.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  expect({ code, stderr, failed: stdout.match(/^ *FAIL.*/gm) }).toEqual({
    code: 0,
    stderr: '',
    failed: null,
  });
  for (const step of ['dropped in', 'edited', 'broken', 'deleted', 'hostile'])
    expect(stdout).toMatch(new RegExp(`== .*${step}`));
  expect(stdout).toMatch(/All as it should be\.\n$/);
}, 90_000);
