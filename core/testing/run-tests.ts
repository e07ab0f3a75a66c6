import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TestModule } from 'vitest/node';
import { RECORD_VARIABLE } from './open-plugin.ts';

export interface TestRun {
  /** The project, absolute: its vitest runs, and its dependencies are found. */
  readonly root: string;
  /** Plugin directories, absolute. */
  readonly dirs: readonly string[];
  /** Ask the real servers, and write what they answer below each plugin's `fixtures`. */
  readonly record: boolean;
  /** Print nothing while it runs. */
  readonly silent: boolean;
  /** How long one test may take, milliseconds. @defaultValue 15000 */
  readonly timeoutMs?: number;
}

export type TestOutcome =
  | { readonly kind: 'ran'; readonly passed: boolean; readonly tests: readonly TestResult[] }
  /** vitest is a peer dependency that not everybody needs. */
  | { readonly kind: 'no_vitest' };

export interface TestResult {
  /** Relative to the root. */
  readonly file: string;
  /** Empty for a file that could not be run at all. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly durationMs: number;
  readonly errors: readonly string[];
}

/** Starting a worker counts as part of the first test. */
const TIMEOUT_MS = 15_000;

/** Runs the `*.test.ts` files of plugins with the project's own vitest, and with none of its configuration. */
export async function runPluginTests({
  root,
  dirs,
  record,
  silent,
  timeoutMs,
}: TestRun): Promise<TestOutcome> {
  const vitest = await loadVitest(root);
  if (vitest === undefined) return { kind: 'no_vitest' };
  const before = process.env[RECORD_VARIABLE];
  if (record) process.env[RECORD_VARIABLE] = '1';
  const running = await vitest.startVitest(
    'test',
    [],
    {
      root,
      config: false,
      watch: false,
      include: dirs.map((dir) => `${toGlob(path.relative(root, dir))}/**/*.test.{ts,js,mjs,mts}`),
      exclude: ['**/node_modules/**'],
      testTimeout: timeoutMs ?? TIMEOUT_MS,
      pool: 'forks',
      passWithNoTests: false,
      ...(silent ? { reporters: [{}], silent: true } : {}),
    },
    { resolve: { alias: [{ find: 'glovebox/test', replacement: await helperFile() }] } },
  );
  const tests = running.state.getTestModules().flatMap(readModule);
  const passed = tests.length > 0 && tests.every(({ state }) => state !== 'failed');
  await running.close();
  // vitest sets it for its own command line; ours comes from what we return.
  process.exitCode = 0;
  if (before === undefined) delete process.env[RECORD_VARIABLE];
  return { kind: 'ran', passed: passed && running.state.getUnhandledErrors().length === 0, tests };
}

type Vitest = typeof import('vitest/node');

async function loadVitest(root: string): Promise<Vitest | undefined> {
  // The project's own, so that what a test imports from "vitest" is what runs it; else ours, in a checkout.
  for (const from of [path.join(root, 'package.json'), fileURLToPath(import.meta.url)]) {
    try {
      const file = createRequire(from).resolve('vitest/node');
      return (await import(pathToFileURL(file).href)) as Vitest; // the peer that package.json names
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // Node's resolver rejects with these
      if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    }
  }
  return undefined;
}

function readModule(module: TestModule): TestResult[] {
  const file = module.relativeModuleId;
  const errors = module.errors().map(({ message }) => message);
  const tests = [...module.children.allTests()].map((test): TestResult => {
    const { state, errors: failures = [] } = test.result();
    const durationMs = Math.round(test.diagnostic()?.duration ?? 0);
    return { file, name: test.fullName, state, durationMs, errors: failures.map(({ message }) => message) };
  });
  if (errors.length === 0) return tests;
  return [{ file, name: '', state: 'failed', durationMs: 0, errors }, ...tests];
}

/** A folder's name may hold what a glob reads as a pattern. */
function toGlob(folder: string): string {
  return folder
    .split(path.sep)
    .join('/')
    .replace(/[[\]{}()*?!+@\\]/g, '\\$&');
}

async function helperFile(): Promise<string> {
  const source = fileURLToPath(new URL('./index.ts', import.meta.url));
  const isSource = await stat(source).then(
    () => true,
    () => false,
  );
  return isSource ? source : fileURLToPath(new URL('./index.js', import.meta.url));
}
