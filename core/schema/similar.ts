import { countTypos } from './typos.ts';

const MAX_COMPARED = 100;
const MAX_CANDIDATES = 2_000;

/** The name that was probably meant: another spelling (`filePath`, `file-path`), a few wrong letters, or a part of it. */
export function findSimilar(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_COMPARED) return undefined;
  const left = plain(given);
  let best: { name: string; score: number } | undefined;
  for (const name of known.slice(0, MAX_CANDIDATES)) {
    const score = name.length > MAX_COMPARED ? 1 : compare(left, plain(name));
    if (score < (best?.score ?? 0.41)) best = { name, score };
  }
  return best?.name;
}

/** 0: the same; above 0.4: unlike. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '' || right === '') return 1;
  const longest = Math.max(left.length, right.length);
  const wrong = countTypos(left, right);
  // One wrong letter in a word of three is as likely chance.
  if (wrong / longest <= 0.4 && (wrong === 1 || longest > 4)) return wrong / longest;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && (long.startsWith(short) || long.endsWith(short)) ? 0.4 : 1;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
