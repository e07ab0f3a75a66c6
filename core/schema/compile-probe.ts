import { Worker } from 'node:worker_threads';
import type { Dialect } from './dialect.ts';
import type { Problem } from './problem.ts';

/** Milliseconds of the thread, its start included. */
const DEADLINE_MS = 5_000;
/** Milliseconds that compiling itself may take: as long will the event loop be held afterwards. */
const COMPILE_MS = 500;
const HEAP_MB = 128;

export interface ProbeInput {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
}

export type ProbeOutput = { readonly compileMs: number } | { readonly error: string };

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
  const output = await new Promise<ProbeOutput | 'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), DEADLINE_MS);
    worker.once('message', resolve);
    worker.once('error', (error: Error) => resolve({ error: error.message }));
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve({ error: 'the thread ended' });
    });
  });
  await worker.terminate();
  if (output === 'late' || ('compileMs' in output && output.compileMs > COMPILE_MS)) {
    return { path: '', message: `the schema takes more than ${COMPILE_MS} ms to compile; make it smaller` };
  }
  return 'error' in output
    ? { path: '', message: `the schema can't be compiled: ${output.error}` }
    : undefined;
}
