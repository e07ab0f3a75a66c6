import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_LIMITS, DEFAULTS } from '../../config/index.ts';
import type { LoadProblem } from '../../plugin/problem.ts';
import { createSandbox } from '../../sandbox/create-sandbox.ts';
import { deriveSignature } from '../signature/derive.ts';
import type { Signature } from '../signature/signature.ts';
import { evaluateOnce } from './evaluate-once.ts';
import { readExports } from './read-exports.ts';
import { manifestOf } from './schema-from-code.ts';

export type FileSchema =
  | {
      readonly ok: true;
      /** In the keys of schema.json. */
      readonly manifest: Readonly<Record<string, unknown>>;
      readonly style: Signature['style'];
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/**
 * The schema of a function in one of your own files: what the file exports of it, which is found by running it in the
 * sandbox, and for the rest the signature.
 *
 * @param file absolute.
 */
export async function readSchemaOf(file: string, exportName: string | undefined): Promise<FileSchema> {
  const exported = await exportsOf(file);
  if (!exported.ok) return exported;
  const { values } = exported;
  const docsOnly = 'parameters' in values;
  const answer = await deriveSignature({
    file,
    docsOnly,
    ...(exportName === undefined ? {} : { exportName }),
  });
  if (!answer.ok) {
    if (docsOnly) return { ok: true, manifest: values, style: 'object', warnings: [] };
    return { ok: false, problems: [answer.problem] };
  }
  const { signature } = answer;
  return {
    ok: true,
    manifest: { ...manifestOf(signature), ...values },
    style: signature.style,
    warnings: signature.warnings,
  };
}

/** Most files export nothing of the kind, and then no sandbox is started. */
async function exportsOf(file: string) {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (!/\bexport\b[^;]*\bparameters\b/.test(text)) return { ok: true as const, values: {} };
  const sandbox = await createSandbox({ ...DEFAULTS.sandbox, workers: 1, maxProcesses: 1 });
  try {
    return await readExports({
      dir: path.dirname(file),
      entry: path.basename(file),
      packagesAbove: true,
      name: path.parse(file).name,
      isolation: 'shared',
      limits: DEFAULT_LIMITS,
      evaluate: evaluateOnce(sandbox),
      hasZod: true,
    });
  } finally {
    await sandbox.close();
  }
}
