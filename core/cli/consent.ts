import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

export interface ConsentStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Is there a person to ask: can one read the question and answer it? */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a question that only a clear yes answers with yes; the end of the input is a no. */
export async function askYesNo(
  question: string,
  { input, output }: ConsentStreams,
  signal?: AbortSignal,
): Promise<boolean> {
  if (signal?.aborted) return false;
  const terminal = createInterface({ input, output, terminal: false });
  const closed = new Promise<string>((answer) => terminal.once('close', () => answer('')));
  try {
    const asked = terminal.question(`${question} [y]es, [N]o: `, signal === undefined ? {} : { signal });
    const said = (await Promise.race([asked, closed])).trim().toLowerCase();
    return said === 'y' || said === 'yes';
  } catch {
    // Interrupted.
    output.write('\n');
    return false;
  } finally {
    terminal.close();
  }
}
