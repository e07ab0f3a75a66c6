import { parentPort, workerData } from 'node:worker_threads';
import { Budget } from './budget.ts';
import type { ProbeInput, ProbeOutput } from './compile-probe.ts';
import { compileSchema } from './engine.ts';

function probe(): ProbeOutput {
  // compile-probe.ts, which starts this thread, sends nothing else.
  const { schema, dialect } = workerData as ProbeInput;
  const start = process.threadCpuUsage();
  try {
    compileSchema(schema, dialect, 'verdict', new Budget());
    compileSchema(schema, dialect, 'details', new Budget());
  } catch (error) {
    return { error: error instanceof RangeError ? 'it is nested too deeply' : String(error).slice(0, 300) };
  }
  const { user, system } = process.threadCpuUsage(start);
  return { compileMs: (user + system) / 1_000 / 2 };
}

const ready: ProbeOutput = { ready: true };
parentPort?.postMessage(ready);
parentPort?.postMessage(probe());
