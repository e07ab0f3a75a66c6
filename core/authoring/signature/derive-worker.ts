/** Entry of the process that reads signatures: a request a line on stdin, an answer a line on stdout. */
import type { DerivationAnswer } from './derive.ts';
import { SignatureError } from './problem.ts';
import { readSignature, type SignatureRequest } from './read-signature.ts';
import type { ReaderLine } from './reader-process.ts';

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

function respond(text: string): void {
  // reader-process.ts, which starts this process, writes nothing else.
  const found = answer(JSON.parse(text) as SignatureRequest);
  const { user, system } = process.cpuUsage();
  const line: ReaderLine = {
    answer: found,
    cpuMs: (user + system) / 1_000,
    heapBytes: process.memoryUsage().heapUsed,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

let rest = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  // `readline` would also cut at U+2028, which the name of a file may hold.
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) respond(line);
});
