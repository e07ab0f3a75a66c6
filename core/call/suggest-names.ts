import { countTypos } from '../schema/typos.ts';

const MAX_SUGGESTIONS = 3;
const MAX_NAME_CHARS = 128;
const MAX_READINGS = 8;
/** Share of a name's letters that may be wrong. */
const MAX_WRONG_SHARE = 0.34;
/** Shorter names stand in longer ones by chance. */
const MIN_INNER_CHARS = 5;

/**
 * The names that were probably meant: without the prefixes and brackets that models invent (`functions.x`, `ns:x`,
 * `mcp__server__x`, `x()`), in another spelling (`getWeather`, `get-weather`), or with a few letters wrong.
 */
export function suggestNames(name: string, known: readonly string[]): readonly string[] {
  const bounded = name.slice(0, MAX_NAME_CHARS);
  const readings = readingsOf(bounded);
  const scored = known
    .map((candidate) => ({
      candidate,
      score: Math.min(...readings.map((reading, index) => score(reading, candidate) + index * 0.001)),
    }))
    .filter(({ score: wrong }) => wrong <= MAX_WRONG_SHARE + 0.01)
    .sort((left, right) => left.score - right.score || left.candidate.length - right.candidate.length);
  // A name that is right but for its dress is the answer; what is only similar would distract.
  const exact = scored.filter(({ score: wrong }) => wrong < 0.1);
  return (exact.length > 0 ? exact : scored).slice(0, MAX_SUGGESTIONS).map(({ candidate }) => candidate);
}

/** The name itself, then what is left of it after each thing that looks like a prefix. */
function readingsOf(name: string): readonly string[] {
  const bare = name.trim().replace(/\s*\(.*$/s, '');
  // `get_weather<|channel|>commentary`: a marker of a chat format that ran into the name.
  const readings = [bare, bare.replace(/<\|.*$/s, '')];
  for (const match of bare.matchAll(/__|[.:/|>\s]+/g))
    readings.push(bare.slice(match.index + match[0].length));
  return readings.filter((reading) => reading !== '').slice(0, MAX_READINGS);
}

function score(reading: string, candidate: string): number {
  const [left, right] = [plain(reading), plain(candidate)];
  if (left === right) return 0;
  // The group of `github.create_issue` is easily forgotten.
  const last = plain(candidate.split('.').at(-1) ?? candidate);
  if (left === last) return 0.05;
  // A prefix without a sign that would tell it apart (`functions_get_weather`), or an ending (`get_weather_api`).
  const isWithin = right.length >= MIN_INNER_CHARS && (left.startsWith(right) || left.endsWith(right));
  return Math.min(share(left, right), share(left, last) + 0.02, isWithin ? 0.2 : 1);
}

function share(left: string, right: string): number {
  return countTypos(left, right) / Math.max(left.length, right.length, 1);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
