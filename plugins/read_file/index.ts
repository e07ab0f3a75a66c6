import { readFile } from 'node:fs/promises';
import { decode } from './decode.ts';
import { explain } from './explain.ts';
import type { Arguments } from './schema.d.ts';

const DEFAULT_LINES = 1_000;
/** A minified file is one line of a megabyte. */
const LONGEST_LINE = 4_000;

export default async function read(options: Arguments): Promise<string> {
  const { path, from = 1, lines: most = DEFAULT_LINES, numbers = false } = options;
  if (from === 0) throw new Error('"from" is 0; lines are counted from 1, or from -1 at the end.');
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw await explain(error, path);
  }
  const { text, note } = decode(bytes, path);
  const all = linesOf(text);
  const first = from > 0 ? from : Math.max(1, all.length + from + 1);
  if (first > Math.max(1, all.length))
    throw new Error(`"from" is ${from}, but the file has only ${count(all.length)}.`);
  const shown = all.slice(first - 1, first - 1 + most);
  const last = first + shown.length - 1;
  const width = String(last).length;
  const cut = shown.filter((line) => line.length > LONGEST_LINE).length;
  const body = shown.map((line, index) => {
    const short =
      line.length > LONGEST_LINE
        ? `${line.slice(0, LONGEST_LINE).toWellFormed()}… (${line.length - LONGEST_LINE} characters more)`
        : line;
    return numbers ? `${String(first + index).padStart(width)}  ${short}` : short;
  });
  const range =
    first === 1 && last >= all.length
      ? ''
      : `, lines ${first}-${last}${last < all.length ? ` (go on with "from": ${last + 1})` : ''}`;
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(cut === 0 ? [] : [`${count(cut)} cut at ${LONGEST_LINE} characters`]),
  ];
  const head = [`${path}: ${count(all.length)}, ${sizeOf(bytes.length)}${range}`, ...notes].join('; ');
  return [head, '', ...(all.length === 0 ? ['(The file is empty.)'] : body)].join('\n');
}

/** A line break at the end begins no further line. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
