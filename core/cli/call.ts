import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CallResult } from '../call/result.ts';
import { createHost } from '../host.ts';
import { createTerminalPrompt } from '../permissions/index.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { interruptible } from './interruption.ts';
import { loadingProgress, oneLine, print, say, sayLog } from './output.ts';
import { printable } from './printable.ts';

export interface CallOptions {
  readonly args?: string;
  readonly json?: boolean;
  readonly config?: string;
  readonly session?: string;
}

/** `glovebox call NAME`: the content on stdout and nothing else there. */
export async function call(name: string, stdin: string | undefined, options: CallOptions): Promise<number> {
  const input = await readArguments(stdin, options.args);
  const progress = loadingProgress();
  await using host = await createHost({
    onLoading: progress.onLoading,
    ...(options.config === undefined ? {} : { config: options.config }),
    watch: false,
    ...(process.stdin.isTTY && stdin !== '-'
      ? { onApproval: createTerminalPrompt({ input: process.stdin, output: process.stderr }) }
      : {}),
    onProblem: ({ message }) => say(oneLine(message)),
    onLog: sayLog,
  });
  await host.loaded;
  progress.end();
  using interruption = interruptible();
  const result = await host.call({
    name,
    arguments: input,
    signal: interruption.signal,
    ...(options.session === undefined ? {} : { session: options.session }),
  });
  await print(options.json === true ? `${JSON.stringify(result, null, 2)}\n` : `${contentOf(result)}\n`);
  return result.ok ? ExitCode.ok : ExitCode.failed;
}

/** Byte for byte into a pipe or a file; a terminal gets it without control characters. */
function contentOf({ content }: CallResult): string {
  return process.stdout.isTTY ? printable(content) : content;
}

/** The raw text: what is wrong with it is told by the call itself, as a model would be told. */
async function readArguments(stdin: string | undefined, args: string | undefined): Promise<string> {
  if (stdin !== undefined && stdin !== '-')
    throw new UsageError(`what is "${stdin}"? Arguments go behind --args, or "-" reads them from stdin`);
  if (stdin === '-' && args !== undefined)
    throw new UsageError('give the arguments once: behind --args, or with "-" from stdin');
  if (stdin === '-' || args === '-') return text(process.stdin);
  if (args === undefined) return '';
  if (!args.startsWith('@')) return args;
  try {
    return await readFile(args.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`${args.slice(1)} can't be read (${(error as NodeJS.ErrnoException).code})`); // node:fs rejects with these
  }
}
