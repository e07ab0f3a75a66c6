import type { SignatureProblem } from './problem.ts';
import type { SignatureReading, SignatureRequest } from './read-signature.ts';
import { readAlone, readShared } from './reader-pool.ts';
import type { ReaderBounds } from './reader-process.ts';

export type DerivationAnswer =
  | ({ readonly ok: true } & SignatureReading)
  | { readonly ok: false; readonly problem: SignatureProblem };

/** Types are a language in which one can write loops: what reads them is bounded like any program. */
const BOUNDS: ReaderBounds = { cpuSeconds: 10, timeoutMs: 60_000, heapMb: 256 };

/**
 * Reads the schema of a function out of its code, in another process that has no environment, may only read files, and
 * is ended when it takes too long or too much. Nothing of the code runs. Never rejects.
 *
 * @param bounds what is not the default: 10 s of processor time, 60000 ms in all, 256 MiB.
 */
export async function deriveSignature(
  request: SignatureRequest,
  bounds: Partial<ReaderBounds> = {},
): Promise<DerivationAnswer> {
  const isUsual = request.confineTo === undefined && Object.keys(bounds).length === 0;
  const reading = isUsual
    ? await readShared(request, BOUNDS)
    : await readAlone(request, { ...BOUNDS, ...bounds });
  if (reading.kind === 'answered') return reading.answer;
  return { ok: false, problem: { file: request.file, line: 1, message: reading.reason } };
}
