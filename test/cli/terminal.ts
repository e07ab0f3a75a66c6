import { spawn } from 'node:child_process';
import path from 'node:path';

const BIN = path.join(import.meta.dirname, '../../bin/glovebox.js');

/**
 * The real command line on a terminal of its own, made by `script`. Each answer is typed when its question shows.
 */
export function onTerminal(
  args: readonly string[],
  cwd: string,
  dialogue: readonly (readonly [question: string, answer: string])[],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const quoted = [process.execPath, BIN, ...args].map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
  // A shell that stays in between, as `dash` does, would answer Ctrl-C with an exit code of its own.
  const child = spawn('script', ['-qec', `exec ${quoted.join(' ')}`, '/dev/null'], { cwd });
  let shown = '';
  const left = [...dialogue];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [next] = left;
    if (next === undefined || !shown.includes(next[0])) return;
    left.shift();
    child.stdin.write(next[1]);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, shown })));
}
