import { Worker } from 'node:worker_threads';
import type { Dialect } from './dialect.ts';
import type { Problem } from './problem.ts';

/** Milliseconds in which the thread must have started; a busy machine is slow at that. */
const START_MS = 30_000;
/** Milliseconds from then on. */
const DEADLINE_MS = 5_000;
/** Milliseconds of processor time that compiling may take: as long will the event loop be held afterwards. */
const COMPILE_MS = 500;
const HEAP_MB = 128;

export interface ProbeInput {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
}

export type ProbeOutput =
  | { readonly ready: true }
  | { readonly compileMs: number }
  | { readonly error: string };

/** Compiles a schema in a thread that can be ended. Undefined: it compiles, and quickly enough. */
export async function probeCompile(
  schema: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): Promise<Problem | undefined> {
  const workerData: ProbeInput = { schema, dialect };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./compile-probe-worker.${extension}`, import.meta.url), {
    workerData,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const output = await outputOf(worker);
  await worker.terminate();
  if (output === 'late' || ('compileMs' in output && output.compileMs > COMPILE_MS)) {
    return { path: '', message: `the schema takes more than ${COMPILE_MS} ms to compile; make it smaller` };
  }
  return 'error' in output
    ? { path: '', message: `the schema can't be compiled: ${output.error}` }
    : undefined;
}

function outputOf(worker: Worker): Promise<Exclude<ProbeOutput, { ready: true }> | 'late'> {
  return new Promise((resolve) => {
    let timer = setTimeout(() => resolve('late'), START_MS);
    worker.on('message', (output: ProbeOutput) => {
      clearTimeout(timer);
      if ('ready' in output) timer = setTimeout(() => resolve('late'), DEADLINE_MS);
      else resolve(output);
    });
    worker.once('error', (error: Error) => resolve({ error: error.message }));
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve({ error: 'it takes too much memory' });
    });
  });
}
