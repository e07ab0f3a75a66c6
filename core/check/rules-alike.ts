import { stringSimilarity } from 'string-similarity-js';
import { compareText } from '../compare-text.ts';
import { nameSome } from '../name-some.ts';
import type { Finding } from './finding.ts';
import { findingAt, type Subject } from './subject.ts';

/** How alike two descriptions may be, 0 to 1: letters in pairs, as Dice compares them. */
const MOST_ALIKE = 0.82;
/** Comparing costs by the square; of more texts than this each is compared with its neighbours by name alone. */
const MOST_COMPARED = 4_000;
const NEIGHBOURS = 1_000;
const COMPARED_CHARS = 600;

/**
 * Tools that read alike: a model takes the wrong one. Each such tool is in some finding, and one finding tells of all that
 * are like one tool: with pairs, three hundred copies would make ninety thousand.
 */
export function checkAlike(subjects: readonly Subject[]): Finding[] {
  const tools = subjects
    .filter(({ manifest }) => manifest !== undefined && manifest.description.trim() !== '')
    .sort((one, other) => compareText(one.name, other.name));
  const same = Map.groupBy(tools, ({ manifest }) => comparedText(manifest?.description ?? ''));
  const profiles = [...same.keys()].map(profileOf);
  return starsOf(profiles).flatMap(({ centre, others, alike }) => {
    const [tool, ...twins] = same.get(centre) ?? [];
    if (tool === undefined) return [];
    const names = [...twins, ...others.flatMap((text) => same.get(text) ?? [])].map(({ name }) => name);
    // Two of one name have a finding of their own.
    const unique = [...new Set(names)].filter((name) => name !== tool.name).sort(compareText);
    return unique.length === 0 ? [] : [tell(tool, unique, alike)];
  });
}

function tell(tool: Subject, others: readonly string[], alike: number): Finding {
  const [other] = others;
  const isOne = others.length === 1;
  return findingAt(tool, '/description', {
    ...{ rule: 'description/alike', level: 'warning' },
    message: isOne
      ? `the description reads like that of "${other}" (${Math.round(alike * 100)} % alike): a model will take the wrong one`
      : `the description reads like those of ${nameSome(others)}: a model will take the wrong one`,
    fix: isOne
      ? `say what sets it apart, and when to use "${other}" instead; or make one tool of both`
      : 'say in each what sets it apart, and when to use which; or make one tool of them',
  });
}

/** Examples at the end say little about what a tool is for. */
function comparedText(description: string): string {
  return description
    .replace(/\bExamples?:.*$/s, '')
    .slice(0, COMPARED_CHARS)
    .toLowerCase();
}

interface Profile {
  readonly text: string;
  /** How many pairs of letters fall into each bucket. */
  readonly counts: Uint16Array;
}

const BUCKETS = 256;

function profileOf(text: string): Profile {
  const counts = new Uint16Array(BUCKETS);
  for (let index = 1; index < text.length; index += 1) {
    const bucket = (text.charCodeAt(index - 1) * 31 + text.charCodeAt(index)) % BUCKETS;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return { text, counts };
}

interface Star {
  readonly centre: string;
  readonly others: readonly string[];
  /** How alike the last of them is. */
  readonly alike: number;
}

/** A text that none before it is like, with all that are like it. */
function starsOf(profiles: readonly Profile[]): Star[] {
  const reach = profiles.length > MOST_COMPARED ? NEIGHBOURS : profiles.length;
  const seen = new Set<Profile>();
  return profiles.flatMap((one, index) => {
    if (seen.has(one)) return [];
    const others: string[] = [];
    let alike = 1;
    for (let at = Math.max(0, index - reach); at < Math.min(index + reach, profiles.length); at += 1) {
      const other = profiles[at];
      // An earlier centre would have this one among its own.
      if (other === undefined || at === index || (at < index && !seen.has(other))) continue;
      const found = similarity(one, other);
      if (found < MOST_ALIKE) continue;
      others.push(other.text);
      seen.add(other);
      alike = found;
    }
    return [{ centre: one.text, others, alike }];
  });
}

function similarity(one: Profile, other: Profile): number {
  return mostAlike(one, other) < MOST_ALIKE ? 0 : stringSimilarity(one.text, other.text, 2, true);
}

/** What Dice can give at most, a hundred times quicker: nearly all pairs are far from alike. */
function mostAlike(one: Profile, other: Profile): number {
  const total = one.text.length + other.text.length - 2;
  const most = Math.min(one.text.length, other.text.length) - 1;
  if ((2 * most) / total < MOST_ALIKE) return 0;
  let shared = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1)
    shared += Math.min(one.counts[bucket] ?? 0, other.counts[bucket] ?? 0);
  return (2 * shared) / total;
}
