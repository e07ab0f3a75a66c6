import { styleText } from 'node:util';
import { printable } from './printable.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours only on a terminal, and never where NO_COLOR is set. */
export function paint(stream: NodeJS.WriteStream, style: Style, text: string): string {
  const wanted = stream.isTTY === true && !process.env.NO_COLOR;
  return wanted ? styleText(style, text, { validateStream: false }) : text;
}

export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** For people: everything that is not the answer goes to stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What a plugin logged. */
export function sayLog(tool: string, level: string, text: string): void {
  say(`${paint(process.stderr, 'dim', `${oneLine(tool)} ${level}:`)} ${printable(text)}`);
}

/** The answer. Resolves when it is written, so that an exit can't cut it. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/** A reader that goes away (`| head`) is no error of ours. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
}
