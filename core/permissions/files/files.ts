import { ABORTED, type Answer, type RecordUse } from '../outcome.ts';
import type { Params } from '../params.ts';
import type { Policy } from '../policy.ts';
import { type Access, createGuard, type Guard, type ProtectedPaths } from './guard.ts';
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
  /** Aborted when the call has ended: what is under way stops, what waits is not begun. */
  readonly signal: AbortSignal;
}

/** What an operation works with; one per call. */
export interface FileContext {
  readonly guard: Guard;
  readonly limits: FileLimits;
  readonly signal: AbortSignal;
  /** Bytes written so far; counts towards `totalWriteBytes`. */
  written: number;
}

export type FileOperation = (context: FileContext, params: Params) => Promise<Answer>;

interface Method {
  readonly run: FileOperation;
  /** What its use is for the audit. */
  readonly use: Access | 'either';
}

const METHODS: ReadonlyMap<string, Method> = new Map([
  ['fs.readFile', { run: readFile, use: 'read' }],
  ['fs.writeFile', { run: writeFile, use: 'write' }],
  ['fs.appendFile', { run: appendFile, use: 'write' }],
  ['fs.readdir', { run: readDirectory, use: 'read' }],
  ['fs.stat', { run: (context, params) => stat(context, params, { follow: true }), use: 'either' }],
  ['fs.lstat', { run: (context, params) => stat(context, params, { follow: false }), use: 'either' }],
  ['fs.mkdir', { run: makeDirectory, use: 'write' }],
  ['fs.rm', { run: remove, use: 'write' }],
  ['fs.rename', { run: rename, use: 'write' }],
  ['fs.access', { run: access, use: 'either' }],
]);

const PATHS = ['path', 'from', 'to'];

export interface Files {
  run(method: string, params: Params): Promise<Answer> | undefined;
}

/** Operations that one call may have under way; each holds a few descriptors of the host's. */
const AT_ONE_TIME = 8;

export function createFiles(services: FileServices): Files {
  let context: Promise<FileContext> | undefined;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function start({ run, use }: Method, params: Params): Promise<Answer> {
    if (running >= AT_ONE_TIME) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      if (services.signal.aborted) return ABORTED;
      context ??= createContext(services);
      const ready = await context;
      const answer = await run(ready, params);
      if (!answer.ok && 'denied' in answer) return answer;
      for (const name of PATHS) {
        const path = params[name];
        if (typeof path === 'string') ready.guard.allow(use, path);
      }
      return answer;
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    run(method, params) {
      const known = METHODS.get(method);
      return known && start(known, params);
    },
  };
}

async function createContext(services: FileServices): Promise<FileContext> {
  const { policy, baseDir, protectedPaths, record } = services;
  const guard = await createGuard(policy, baseDir, protectedPaths, record);
  return { guard, limits: services.limits, signal: services.signal, written: 0 };
}
