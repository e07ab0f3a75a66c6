import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MAX_CALLS_IN_WORKER, MAX_RESTING_ISOLATES } from '../../sandbox/protocol.ts';

export interface WorkerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface WorkerCommandOptions {
  /** Memory that the whole process may hold, MiB. */
  readonly memoryMb: number;
  /** No machine code is generated at run time: slower, a smaller surface, and memory that the system can count. */
  readonly jitless: boolean;
}

/** Heap of the worker's own code, MiB; isolates have heaps of their own. */
const OWN_HEAP_MB = 96;
/** Processor seconds after which the system ends a worker that its host has lost; the host recycles it before. */
export const CPU_SECONDS = 600;
/** V8 reserves this much address space for the code of each isolate, and Linux counts it as data. */
const CODE_RANGE_MB = 544;
/** Running, resting, and warm ones (a program may keep 32 sessions). */
const MAX_ISOLATES = MAX_CALLS_IN_WORKER + MAX_RESTING_ISOLATES + 32;

/**
 * Node under its permission model, with nothing in the environment and, where there is a POSIX shell, the system's own
 * bounds on processor time and data.
 */
export function workerCommand(workerFile: string, options: WorkerCommandOptions): WorkerCommand {
  const require = createRequire(import.meta.url);
  const engine = realpathSync(require.resolve('isolated-vm'));
  const loader = realpathSync(createRequire(engine).resolve('node-gyp-build'));
  const worker = realpathSync(workerFile);
  const args = [
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${worker}`,
    `--allow-fs-read=${path.dirname(engine)}`,
    `--allow-fs-read=${path.dirname(loader)}`,
    // isolated-vm and Node's startup snapshot don't go together.
    '--no-node-snapshot',
    '--no-warnings',
    `--max-old-space-size=${OWN_HEAP_MB}`,
    ...(options.jitless ? ['--jitless'] : []),
    worker,
    engine,
  ];
  const env = { LIBC: libc() };
  if (process.platform === 'win32') return { file: process.execPath, args, env };
  const dataMb = options.memoryMb + OWN_HEAP_MB + (options.jitless ? 0 : CODE_RANGE_MB * MAX_ISOLATES);
  // `ulimit` fails where a lower hard limit is in force already; that one holds then.
  const script = `ulimit -c 0 2>/dev/null; ulimit -t ${CPU_SECONDS} 2>/dev/null; ulimit -d ${dataMb * 1024} 2>/dev/null; exec "$0" "$@"`;
  return { file: '/bin/sh', args: ['-c', script, process.execPath, ...args], env };
}

/** Without it node-gyp-build looks for a file outside what the worker may read. */
function libc(): string {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }; // Node's documented shape
  return process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
