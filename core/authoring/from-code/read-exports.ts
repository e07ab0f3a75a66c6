import type { Limits } from '../../config/limits.ts';
import { type BundleRequest, bundlePlugin } from '../../plugin/bundle.ts';
import { versionOf } from '../../plugin/content-hash.ts';
import type { LoadProblem } from '../../plugin/problem.ts';
import { createLocator } from '../../plugin/source-positions.ts';
import type { RunOutcome, SandboxProgram } from '../../sandbox/sandbox.ts';
import { isRecord } from '../../schema/pointer.ts';
import { exportsStub } from './exports-stub.ts';

export type ExportsReading =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/** Runs a program once, with no arguments and no capability. */
export type Evaluate = (program: SandboxProgram, limits: Limits) => Promise<RunOutcome>;

export interface ExportsRequest extends Omit<BundleRequest, 'stub'> {
  readonly name: string;
  readonly isolation: SandboxProgram['isolation'];
  readonly limits: Limits;
  readonly evaluate: Evaluate;
  /** Is zod among its files? */
  readonly hasZod: boolean;
}

/** What the plugin says of itself by exports. Its code runs behind the wall; a bounded JSON text comes out. */
export async function readExports(request: ExportsRequest): Promise<ExportsReading> {
  const { dir, entry, packagesAbove, name, isolation, limits, evaluate, hasZod } = request;
  const bundle = (withZod: boolean) =>
    bundlePlugin({ dir, entry, packagesAbove, stub: exportsStub(entry, withZod) });
  let bundled = await bundle(hasZod);
  // Another package's zod is not always one that the plugin can name.
  if (!bundled.ok && hasZod) bundled = await bundle(false);
  if (!bundled.ok) return bundled;
  const { code, map } = bundled;
  const program: SandboxProgram = {
    name,
    version: versionOf('exports', code),
    code,
    state: 'fresh',
    isolation,
  };
  const outcome = await evaluate(program, limits);
  if (outcome.kind === 'value') {
    const values: unknown = outcome.json === undefined ? {} : JSON.parse(outcome.json);
    return { ok: true, values: isRecord(values) ? values : {} };
  }
  return { ok: false, problems: [explain(outcome, entry, createLocator(map))] };
}

function explain(
  outcome: Exclude<RunOutcome, { kind: 'value' }>,
  entry: string,
  locate: (stack: string) => string | undefined,
): LoadProblem {
  if (outcome.kind === 'unserialisable')
    return { file: entry, message: `what it exports is no JSON: ${outcome.path}: ${outcome.message}` };
  if (outcome.kind === 'stopped')
    return { file: entry, message: `reading what it exports was stopped: ${outcome.reason}` };
  const { name, message, stack } = outcome.error;
  const [file = entry, line] = (stack === undefined ? undefined : locate(stack))?.split(':') ?? [];
  return {
    file,
    ...(line === undefined ? {} : { line: Number(line) }),
    message: `reading what it exports throws ${name || 'a value'}: ${message}`,
  };
}
