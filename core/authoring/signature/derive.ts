import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Limiter } from '../../plugin/limiter.ts';
import { generatorRoot } from './generator-version.ts';
import type { SignatureProblem } from './problem.ts';
import type { SignatureReading, SignatureRequest } from './read-signature.ts';

export type DerivationAnswer =
  | ({ readonly ok: true } & SignatureReading)
  | { readonly ok: false; readonly problem: SignatureProblem };

/** Types are a language in which one can write loops: what reads them is bounded like any program. */
export interface DerivationBounds {
  /** Processor time, seconds. @defaultValue 10 */
  readonly cpuSeconds?: number;
  /** Milliseconds until it is ended whatever it does; a busy machine is slow. @defaultValue 60000 */
  readonly timeoutMs?: number;
  /** Heap, MiB. @defaultValue 256 */
  readonly heapMb?: number;
}

const MAX_ANSWER_BYTES = 1024 * 1024;
/** Each holds a compiler: a hundred megabytes and more. */
const MAX_PROCESSES = 2;
const limiter = new Limiter(MAX_PROCESSES);

/**
 * Reads the schema of a function out of its code, in a process of its own that has no environment, may only read files,
 * and is ended when it takes too long or too much. Nothing of the code runs. Never rejects.
 */
export function deriveSignature(
  request: SignatureRequest,
  bounds: DerivationBounds = {},
): Promise<DerivationAnswer> {
  return limiter.run(() => run(request, bounds));
}

function run(request: SignatureRequest, bounds: DerivationBounds): Promise<DerivationAnswer> {
  const { cpuSeconds = 10, timeoutMs = 60_000, heapMb = 256 } = bounds;
  const child = start(request, cpuSeconds, heapMb);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let ended: string | undefined;
  const end = (reason: string) => {
    ended ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end('too long'), timeoutMs);
  // Where no file descriptor is left there are no pipes, and 'error' follows.
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) end('too large');
    else chunks.push(chunk);
  });
  // It may be gone before it has read anything; its exit says so.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(JSON.stringify(request));
  const refused = (reason: string): DerivationAnswer => ({
    ok: false,
    problem: { file: request.file, line: 1, message: reason },
  });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(refused(`its types can't be read: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const answer = ended === undefined && code === 0 ? parse(Buffer.concat(chunks).toString()) : undefined;
      resolve(answer ?? refused(explainEnd(ended, code, signal, cpuSeconds, heapMb)));
    });
  });
}

function start(request: SignatureRequest, cpuSeconds: number, heapMb: number) {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = fileURLToPath(new URL(`./derive-worker.${extension}`, import.meta.url));
  // What the worker imports of our own package, and the package.json that says how.
  const own = packageRoot();
  const readable =
    request.confineTo === undefined
      ? ['*']
      : [own, generatorRoot(), request.confineTo, realpathSync(request.confineTo)];
  const args = [
    '--permission',
    ...readable.map((dir) => `--allow-fs-read=${dir}`),
    '--no-warnings',
    `--max-old-space-size=${heapMb}`,
    worker,
  ];
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore'];
  if (process.platform === 'win32') return spawn(process.execPath, args, { env: {}, stdio });
  const script = `ulimit -c 0 2>/dev/null; ulimit -t ${cpuSeconds} 2>/dev/null; exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, ...args], { env: {}, stdio });
}

function packageRoot(): string {
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, 'package.json')) && dir !== path.dirname(dir)) dir = path.dirname(dir);
  return dir;
}

function parse(text: string): DerivationAnswer | undefined {
  try {
    // The worker is our own code, and runs nothing else.
    return JSON.parse(text) as DerivationAnswer;
  } catch {
    return undefined;
  }
}

function explainEnd(
  ended: string | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
  cpuSeconds: number,
  heapMb: number,
): string {
  const instead =
    'write the types more simply, export `parameters` (zod or JSON Schema), or add a schema.json';
  if (ended === 'too large') return `the schema of its types is too large: ${instead}`;
  if (ended !== undefined || signal === 'SIGKILL' || signal === 'SIGXCPU')
    return `reading its types took more than ${cpuSeconds} s: ${instead}`;
  if (signal !== null || code === 134) return `reading its types took more than ${heapMb} MB: ${instead}`;
  return `its types can't be read (the reader ended with code ${code})`;
}
