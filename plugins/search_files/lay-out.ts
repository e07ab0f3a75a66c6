import { stat } from 'node:fs/promises';
import type { Budget } from './budget.ts';
import type { FileMatches, Found } from './search.ts';

interface About {
  readonly path: string;
  readonly glob: string;
  readonly text: string | undefined;
  readonly budget: Budget;
}

export function layOutMatches(found: Found, { path, glob, text, budget }: About): string {
  const { files, matches, searched, skipped, isCut } = found;
  const where = `${plural(searched, 'file')} searched in ${path}${glob === '**' ? '' : `, ${glob}`}`;
  const notes = [
    ...(skipped === 0 ? [] : [`${plural(skipped, 'file')} left out as no text or too large`]),
    ...(budget.stopped === undefined ? [] : [`stopped early: ${budget.stopped}; narrow "path" or "glob"`]),
  ];
  const told = [where, ...notes].join('; ');
  if (matches === 0) return `No line holds ${JSON.stringify(text)} (${told}).`;
  const more = isCut ? `The first ${matches} matches` : plural(matches, 'match', 'matches');
  const hint = isCut ? ' There are more: narrow the search or raise "maxResults".' : '';
  return [`${more} in ${plural(files.length, 'file')} (${told}).${hint}`, ...files.map(layOutFile)].join(
    '\n\n',
  );
}

function layOutFile({ file, lines }: FileMatches): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  let last = 0;
  const rows = lines.flatMap(({ number, text, isMatch }) => {
    const gap = last > 0 && number > last + 1 && lines.some((line) => !line.isMatch) ? ['  …'] : [];
    last = number;
    return [...gap, `  ${String(number).padStart(width)}${isMatch ? ':' : '-'} ${text}`];
  });
  return [file, ...rows].join('\n');
}

export async function layOutFiles(files: readonly string[], most: number, about: About): Promise<string> {
  const { path, glob, budget } = about;
  const stopped = budget.stopped === undefined ? '' : ` (stopped early: ${budget.stopped})`;
  if (files.length === 0) return `No file in ${path} matches ${glob}${stopped}.`;
  const shown = files.slice(0, most);
  const sizes = await Promise.all(shown.map(sizeOf));
  const head =
    shown.length < files.length
      ? `${plural(files.length, 'file')} in ${path} match ${glob}; the first ${most}${stopped}:`
      : `${plural(files.length, 'file')} in ${path}${glob === '**' ? '' : ` ${files.length === 1 ? 'matches' : 'match'} ${glob}`}${stopped}:`;
  return [head, '', ...shown.map((file, index) => `${file}${sizes[index] ?? ''}`)].join('\n');
}

async function sizeOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    return size < 1_024 ? ` (${size} bytes)` : ` (${(size / 1_024).toFixed(1)} KB)`;
  } catch {
    return '';
  }
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
