import type { ProbeOutcome } from '../sandbox/sandbox.ts';
import type { PluginVersion } from './plugin-version.ts';
import type { LoadProblem } from './problem.ts';

/** Why the code does not load, at its place in the plugin's own files. */
export function probeProblem(
  entry: string,
  probed: Extract<ProbeOutcome, { ok: false }>,
  locate: PluginVersion['locate'],
): LoadProblem {
  const { error, message } = probed;
  if (error?.code === 'no_default_function') {
    return {
      file: entry,
      message:
        'has no default export that is a function: `export default async function (args, ctx) { ... }`',
    };
  }
  const [file, line] = (error?.stack === undefined ? undefined : locate(error.stack))?.split(':') ?? [];
  const place =
    file === undefined ? { file: entry } : { file, ...(line === undefined ? {} : { line: Number(line) }) };
  return {
    ...place,
    message: error === undefined ? message : `loading it throws ${error.name || 'a value'}: ${message}`,
  };
}
