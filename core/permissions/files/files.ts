import type { Answer, RecordUse } from '../outcome.ts';
import type { Params } from '../params.ts';
import type { Policy } from '../policy.ts';
import { createGuard, type Guard, type ProtectedPaths } from './guard.ts';
import type { FileLimits } from './limits.ts';
import { readDirectory } from './read-directory.ts';
import { appendFile, readFile, writeFile } from './read-write.ts';
import { remove, rename } from './remove-rename.ts';
import { access, makeDirectory, stat } from './stat-make.ts';

export interface FileServices {
  readonly policy: Policy;
  /** What relative paths start from: the config file's directory. */
  readonly baseDir: string;
  readonly protectedPaths: ProtectedPaths;
  readonly limits: FileLimits;
  readonly record: RecordUse;
}

/** What an operation works with; one per call. */
export interface FileContext {
  readonly guard: Guard;
  readonly limits: FileLimits;
  /** Bytes written so far; counts towards `totalWriteBytes`. */
  written: number;
}

export type FileOperation = (context: FileContext, params: Params) => Promise<Answer>;

const OPERATIONS: ReadonlyMap<string, FileOperation> = new Map([
  ['fs.readFile', readFile],
  ['fs.writeFile', writeFile],
  ['fs.appendFile', appendFile],
  ['fs.readdir', readDirectory],
  ['fs.stat', (context, params) => stat(context, params, { follow: true })],
  ['fs.lstat', (context, params) => stat(context, params, { follow: false })],
  ['fs.mkdir', makeDirectory],
  ['fs.rm', remove],
  ['fs.rename', rename],
  ['fs.access', access],
]);

export interface Files {
  run(method: string, params: Params): Promise<Answer> | undefined;
}

/** Operations that one call may have under way; each holds a few descriptors of the host's. */
const AT_ONE_TIME = 8;

export function createFiles(services: FileServices): Files {
  let context: Promise<FileContext> | undefined;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function start(operation: FileOperation, params: Params): Promise<Answer> {
    if (running >= AT_ONE_TIME) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      context ??= createContext(services);
      return await operation(await context, params);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    run(method, params) {
      const operation = OPERATIONS.get(method);
      return operation && start(operation, params);
    },
  };
}

async function createContext(services: FileServices): Promise<FileContext> {
  const { policy, baseDir, protectedPaths, record } = services;
  const guard = await createGuard(policy, baseDir, protectedPaths, record);
  return { guard, limits: services.limits, written: 0 };
}
