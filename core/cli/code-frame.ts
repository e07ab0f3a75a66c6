import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { withoutControls } from './printable.ts';

export interface FrameOptions {
  /** 1-based; without it there is no caret. */
  readonly column?: number | undefined;
  /** Characters of a line that are shown. @defaultValue 100 */
  readonly width?: number;
}

const AROUND = 2;
const MAX_BYTES = 1_048_576;

/** The lines around a place, with a mark at the line and a caret at the column; undefined where there is no such line. */
export function codeFrame(
  source: string,
  line: number,
  { column, width = 100 }: FrameOptions = {},
): string | undefined {
  const lines = source.split(/\r\n|\n|\r/);
  const own = lines[line - 1];
  if (own === undefined) return undefined;
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + AROUND);
  const digits = String(last).length;
  // A place far to the right of a long line is brought into view, and its neighbours with it.
  const start = column === undefined || column <= width ? 0 : column - Math.floor(width / 2);
  const shown: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines[number - 1] ?? '';
    const gutter = `${number === line ? '>' : ' '} ${String(number).padStart(digits)} |`;
    shown.push(`${gutter} ${plain(text.slice(start, start + width))}`.trimEnd());
    if (number === line && column !== undefined && column >= 1 && column <= own.length + 1) {
      const before = plain(own.slice(start, column - 1));
      shown.push(`  ${' '.repeat(digits)} | ${' '.repeat([...before].length)}^`);
    }
  }
  return shown.join('\n');
}

/** One sign for one: a tab would move the caret, and a control character more than that. */
function plain(text: string): string {
  return withoutControls(text.replaceAll('\t', ' '));
}

/** As {@link codeFrame}, of a file. A plugin's author can put anything in its place: a link or a pipe is not read. */
export async function frameOfFile(
  file: string,
  line: number,
  options: FrameOptions = {},
): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile() || info.size > MAX_BYTES) return undefined;
    return codeFrame(await handle.readFile('utf8'), line, options);
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
