import { styleText } from 'node:util';
import { stripAnsi } from '../strip-ansi.ts';
import { printable, withoutControls } from './printable.ts';

type Style = Parameters<typeof styleText>[0];

let isQuiet = false;

/** `--quiet`: only answers and errors are written from now on. */
export function setQuiet(quiet: boolean): void {
  isQuiet = quiet;
}

export function isQuietNow(): boolean {
  return isQuiet;
}

/** Colours on a terminal; NO_COLOR turns them off everywhere, FORCE_COLOR on (`0` and `false`: off). */
export function hasColours(stream: NodeJS.WriteStream): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

export function paint(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return hasColours(stream) ? styleText(style, text, { validateStream: false }) : text;
}

export function oneLine(text: string): string {
  return withoutControls(stripAnsi(text).replace(/\s+/g, ' ').trim());
}

/** Errors, for people: they go to stderr even under `--quiet`. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What is good to know and no error; `--quiet` leaves it out. */
export function note(text: string): void {
  if (!isQuiet) say(text);
}

/** What a plugin logged. */
export function sayLog(tool: string, level: string, text: string): void {
  if (isQuiet && level !== 'error') return;
  say(`${paint(process.stderr, 'dim', `${oneLine(tool)} ${level}:`)} ${printable(text)}`);
}

/** The answer. Resolves when it is written, so that an exit can't cut it. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/** How far long work is, in one line of a terminal that is written over; nothing elsewhere and under `--quiet`. */
export function startProgress(what: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  let shown = 0;
  const isShown = stream.isTTY === true && !isQuiet && process.env.TERM !== 'dumb';
  let last = 0;
  const clear = () => {
    if (shown > 0) stream.write(`\r${' '.repeat(shown)}\r`);
    shown = 0;
  };
  return {
    step(done, total, name = '') {
      if (!isShown) return;
      const now = performance.now();
      if (now - last < FRAME_MS && done < total) return;
      last = now;
      clear();
      const text = `${what} ${done}/${total} ${oneLine(name)}`.slice(0, (stream.columns ?? 80) - 1).trimEnd();
      stream.write(text);
      shown = text.length;
    },
    end: clear,
  };
}

export interface Progress {
  step(done: number, total: number, name?: string): void;
  end(): void;
}

const FRAME_MS = 50;
/** Fewer are there before a line could be read. */
const MANY_PLUGINS = 10;

/** The first load of many plugins, for `createHost`. */
export function loadingProgress(): { onLoading: Progress['step']; end(): void } {
  const { step, end } = startProgress('loading');
  return {
    onLoading: (done, total, name) => {
      if (total >= MANY_PLUGINS) step(done, total, name);
    },
    end,
  };
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
