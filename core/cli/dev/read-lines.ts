import { createInterface, type Interface } from 'node:readline';
import type { AskForApproval } from '../../permissions/index.ts';
import { oneLine } from '../output.ts';
import { printable } from '../printable.ts';

export interface LineReaderOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** What may be called, for the Tab key. */
  readonly names: () => readonly string[];
  readonly onLine: (line: string) => void;
  /** Ctrl-C or Ctrl-D on a terminal. */
  readonly onEnd: () => void;
}

export interface LineReader {
  /** Writes above the line that is being typed. */
  say(text: string): void;
  /** Asks at the same prompt; absent where there is nobody to ask. */
  readonly ask: AskForApproval | undefined;
  close(): void;
}

const PROMPT = '> ';
const LONGEST_ARGUMENTS = 2_000;

/** Reads lines: on a terminal with a prompt, a history and completion, from a pipe as they come. */
export function readLines({ input, output, names, onLine, onEnd }: LineReaderOptions): LineReader {
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const lines: Interface = createInterface({
    ...{ input, output, terminal: isTerminal, prompt: PROMPT },
    completer: (line: string) => completeLine(line, names()),
  });
  let answer: ((text: string) => void) | undefined;
  lines.on('line', (line) => {
    const waiting = answer;
    answer = undefined;
    if (waiting !== undefined) waiting(line);
    else if (line.trim() !== '') onLine(line.trim());
    if (isTerminal) lines.prompt();
  });
  lines.on('close', () => {
    answer?.('');
    // The end of a pipe is no wish to end: `dev </dev/null &` goes on.
    if (isTerminal) onEnd();
  });
  if (isTerminal) lines.prompt();
  const say = (text: string) => {
    if (!isTerminal) return void output.write(`${text}\n`);
    output.write(`\r\u001b[K${text}\n`);
    lines.prompt(true);
  };
  const ask: AskForApproval = ({ tool, arguments: args, signal }) =>
    new Promise((resolve) => {
      const shown = printable(JSON.stringify(args)).slice(0, LONGEST_ARGUMENTS);
      say(`${oneLine(tool.manifest.name)} asks to run with ${shown}\nAllow it? [y]es, [N]o:`);
      answer = (text) => resolve(/^y(?:es)?$/i.test(text.trim()));
      signal.addEventListener('abort', () => answer?.(''), { once: true });
    });
  return { say, ask: isTerminal ? ask : undefined, close: () => lines.close() };
}

/** `call NAME` and `NAME` both. */
function completeLine(line: string, names: readonly string[]): [string[], string] {
  const word = line.replace(/^call\s+/, '');
  const words = line === word ? [...names, 'call', 'list', 'help', 'quit'] : names;
  return /\s/.test(word) ? [[], line] : [words.filter((name) => name.startsWith(word)), word];
}
