import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DEFAULTS } from '../config/index.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { selfTest } from '../sandbox/self-test.ts';
import { type Diagnosis, failed, fine, warn } from './finding.ts';

const NEEDED_NODE = 24;
/** Up to here a plugin can get out of its isolate: GHSA-864f-rcv7-6rh4. */
const LAST_VULNERABLE = [7, 0, 0] as const;
/** What this version was tested with. */
const TESTED_MAJOR = 7;

export function checkNode(versions: NodeJS.ProcessVersions = process.versions): Diagnosis {
  const { node, modules, v8 } = versions;
  const major = Number(node.split('.')[0]);
  const text = `Node ${node}, ABI ${modules}, V8 ${v8}, ${process.platform} ${process.arch}`;
  if (major < NEEDED_NODE)
    return failed(
      'node',
      `${text}: too old`,
      `install Node ${NEEDED_NODE}: npm install -D node@${NEEDED_NODE}`,
    );
  if (major % 2 === 1)
    return warn('node', `${text}: a release without long support`, `use Node ${NEEDED_NODE}`);
  return fine('node', text);
}

/** Its version, by its own package.json: the add-on itself is loaded in worker processes only. */
export async function checkEngineVersion(): Promise<Diagnosis> {
  const version = await engineVersion();
  if (version === undefined)
    return failed(
      'isolated-vm',
      'isolated-vm is not installed',
      'npm install (with optional and native packages)',
    );
  return judgeEngineVersion(version);
}

/** Which versions hold. */
export function judgeEngineVersion(version: string): Diagnosis {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  if (parts.length < 3 || parts.some((part) => !Number.isInteger(part)))
    return failed(
      'isolated-vm',
      `isolated-vm has the unknown version ${version}`,
      'npm install isolated-vm@7.0.1',
    );
  if (isUpTo(parts, LAST_VULNERABLE))
    return failed(
      'isolated-vm',
      `isolated-vm ${version} lets code out of its isolate (GHSA-864f-rcv7-6rh4)`,
      'npm install isolated-vm@7.0.1',
    );
  if (parts[0] !== TESTED_MAJOR)
    return warn(
      'isolated-vm',
      `isolated-vm ${version} is not what this version was tested with`,
      `npm install isolated-vm@${TESTED_MAJOR}`,
    );
  return fine('isolated-vm', `isolated-vm ${version}`);
}

function isUpTo(parts: readonly number[], last: readonly number[]): boolean {
  for (const [index, bound] of last.entries()) {
    const part = parts[index] ?? 0;
    if (part !== bound) return part < bound;
  }
  return true;
}

async function engineVersion(): Promise<string | undefined> {
  try {
    const entry = createRequire(import.meta.url).resolve('isolated-vm');
    const { version }: { version?: unknown } = JSON.parse(
      await readFile(path.join(path.dirname(entry), 'package.json'), 'utf8'),
    );
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

const LOAD_TIMEOUT_MS = 20_000;

/** Does the add-on load under this very Node? Tried in a process of its own: a wrong build can end the one it is in. */
export function checkEngineBuild(): Promise<Diagnosis> {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve('isolated-vm');
  } catch {
    return Promise.resolve(failed('build', 'there is no build to load', 'npm install'));
  }
  const script = `new (require(${JSON.stringify(entry)}).Isolate)({ memoryLimit: 8 }).dispose()`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--no-node-snapshot', '-e', script],
      { timeout: LOAD_TIMEOUT_MS, windowsHide: true },
      (error, _stdout, stderr) => {
        if (error === null)
          return resolve(fine('build', `its build loads under ABI ${process.versions.modules}`));
        const line = stderr.split('\n').find((text) => /Error|NODE_MODULE_VERSION|cannot/i.test(text));
        resolve(
          failed(
            'build',
            `its build does not load under Node ${process.versions.node} (ABI ${process.versions.modules}): ${line?.trim() ?? error.message.split('\n')[0]}`,
            'npm rebuild isolated-vm, with the same Node that runs glovebox',
          ),
        );
      },
    );
  });
}

/** Starts a worker and shows that the wall stops an endless loop and a memory bomb on this machine. */
export async function checkWorker(): Promise<Diagnosis> {
  const began = performance.now();
  const sandbox = await createSandbox({ ...DEFAULTS.sandbox, workers: 1, maxProcesses: 2 }).catch(
    (error: unknown) => error,
  );
  if (!isSandbox(sandbox))
    return failed(
      'worker',
      `the worker can not be made: ${sandbox instanceof Error ? sandbox.message.split('\n')[0] : 'unknown reason'}`,
      'npm install; in a checkout node_modules/.cache must be writable',
    );
  try {
    const open = await selfTest((request) => sandbox.run(request));
    if (open.length > 0)
      return failed(
        'worker',
        `the wall did not stop: ${open.join(', ')}`,
        "see the findings above; where they are fine, report it (SECURITY.md). Run no strangers' plugins here",
      );
    return fine(
      'worker',
      `a worker starts, and the wall stops an endless loop and a memory bomb (${Math.round(performance.now() - began)} ms)`,
    );
  } finally {
    await sandbox.close();
  }
}

type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

function isSandbox(value: unknown): value is Sandbox {
  return typeof value === 'object' && value !== null && 'run' in value;
}
