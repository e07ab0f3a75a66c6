import { createBudget } from './budget.ts';
import { compileGlob } from './glob.ts';
import { layOutFiles, layOutMatches } from './lay-out.ts';
import { compileLineTest } from './line-test.ts';
import type { Arguments } from './schema.d.ts';
import { searchFiles } from './search.ts';
import { listFiles } from './walk.ts';

const DEFAULT_RESULTS = 100;

export default async function search(options: Arguments): Promise<string> {
  const { text, glob = '**', hidden = false, context = 0, maxResults = DEFAULT_RESULTS } = options;
  if (text === undefined && (options.regex === true || context > 0))
    throw new Error('"regex" and "context" need "text", what to look for. Without it, files are listed.');
  const path = (options.path ?? 'workspace').replace(/(?<=.)\/+$/, '');
  const matchesGlob = compileGlob(glob);
  const matchesLine =
    text === undefined
      ? undefined
      : compileLineTest(text, options.regex === true, options.ignoreCase === true);
  const budget = createBudget();
  const files = await listFiles(path, { matches: matchesGlob, hidden, budget });
  const about = { path, glob, text, budget };
  if (matchesLine === undefined) return layOutFiles(files, maxResults, about);
  return layOutMatches(await searchFiles(files, { matchesLine, context, maxResults, budget }), about);
}
