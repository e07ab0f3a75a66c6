import { readFile } from 'node:fs/promises';
import type { Budget } from './budget.ts';
import type { LineTest } from './line-test.ts';

export interface FileMatches {
  readonly file: string;
  readonly lines: readonly ShownLine[];
}

export interface ShownLine {
  readonly number: number;
  readonly text: string;
  /** Or only near one? */
  readonly isMatch: boolean;
}

export interface Found {
  readonly files: readonly FileMatches[];
  readonly matches: number;
  readonly searched: number;
  readonly skipped: number;
  /** Are there more matches than were wanted? */
  readonly isCut: boolean;
}

export interface SearchOptions {
  readonly matchesLine: LineTest;
  readonly context: number;
  readonly maxResults: number;
  readonly budget: Budget;
}

const AT_ONE_TIME = 8;
const LONGEST_LINE = 300;

export async function searchFiles(files: readonly string[], options: SearchOptions): Promise<Found> {
  const { budget, maxResults } = options;
  const found: FileMatches[] = [];
  let [matches, searched, skipped] = [0, 0, 0];
  for (let at = 0; at < files.length; at += AT_ONE_TIME) {
    const batch = files.slice(at, at + AT_ONE_TIME).filter(() => budget.file());
    const texts = await Promise.all(batch.map((file) => readText(file, budget)));
    for (const [index, file] of batch.entries()) {
      const text = texts[index];
      if (text === undefined) skipped += 1;
      else {
        searched += 1;
        const { lines, count, isCut } = searchText(text, options, maxResults - matches);
        matches += count;
        if (lines.length > 0) found.push({ file, lines });
        if (isCut) return { files: found, matches, searched, skipped, isCut: true };
      }
    }
    if (budget.stopped !== undefined) break;
  }
  return { files: found, matches, searched, skipped, isCut: false };
}

/** Undefined for what is no text, too large, or gone. */
async function readText(file: string, budget: Budget): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    budget.read(bytes.length);
    if (bytes.subarray(0, 8_192).includes(0)) return undefined;
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function searchText(text: string, { matchesLine, context, budget }: SearchOptions, room: number) {
  const shown = new Map<number, ShownLine>();
  if (!matchesLine.mayHold(text)) return { lines: [], count: 0, isCut: false };
  const lines = text.split(/\r\n|\n|\r/);
  let count = 0;
  let isCut = false;
  for (const [index, line] of lines.entries()) {
    // The clock is asked seldom: a file may have a million lines.
    if (index % 1_000 === 999 && !budget.folder()) break;
    const at = matchesLine.find(line);
    if (at < 0) continue;
    if (count >= room) {
      isCut = true;
      break;
    }
    count += 1;
    for (
      let near = Math.max(0, index - context);
      near <= Math.min(lines.length - 1, index + context);
      near += 1
    ) {
      if (near !== index && shown.has(near)) continue;
      const isMatch = near === index;
      shown.set(near, { number: near + 1, text: cut(lines[near] ?? '', isMatch ? at : 0), isMatch });
    }
  }
  return { lines: [...shown.values()].sort((one, other) => one.number - other.number), count, isCut };
}

/** A long line around its match. */
function cut(line: string, at: number): string {
  if (line.length <= LONGEST_LINE) return line;
  const start = Math.max(0, Math.min(at - 60, line.length - LONGEST_LINE));
  const part = line.slice(start, start + LONGEST_LINE).toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + LONGEST_LINE < line.length ? '…' : ''}`;
}
