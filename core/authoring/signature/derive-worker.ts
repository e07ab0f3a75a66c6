/** Entry of the process that reads a signature: one request on stdin, one answer on stdout. */
import { text } from 'node:stream/consumers';
import type { DerivationAnswer } from './derive.ts';
import { SignatureError } from './problem.ts';
import { readSignature, type SignatureRequest } from './read-signature.ts';

function answer(request: SignatureRequest): DerivationAnswer {
  try {
    return { ok: true, ...readSignature(request) };
  } catch (error) {
    if (error instanceof SignatureError) return { ok: false, problem: error.problem };
    const message =
      error instanceof RangeError
        ? 'its types are nested too deeply to be read'
        : `its types can't be read: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown reason'}`;
    return { ok: false, problem: { file: request.file, message } };
  }
}

// derive.ts, which starts this process, writes nothing else.
const request = JSON.parse(await text(process.stdin)) as SignatureRequest;
process.stdout.write(JSON.stringify(answer(request)));
