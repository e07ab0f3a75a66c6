import { parentPort, workerData } from 'node:worker_threads';
import { Budget } from './budget.ts';
import type { ProbeInput, ProbeOutput } from './compile-probe.ts';
import { compileSchema } from './engine.ts';

function probe(): ProbeOutput {
  // compile-probe.ts, which starts this thread, sends nothing else.
  const { schema, dialect } = workerData as ProbeInput;
  const start = performance.now();
  try {
    compileSchema(schema, dialect, 'verdict', new Budget());
    compileSchema(schema, dialect, 'details', new Budget());
  } catch (error) {
    return { error: error instanceof RangeError ? 'it is nested too deeply' : String(error).slice(0, 300) };
  }
  return { compileMs: (performance.now() - start) / 2 };
}

parentPort?.postMessage(probe());
