import { createTwoFilesPatch, diffLines, diffWords, diffWordsWithSpace, FILE_HEADERS_ONLY } from 'diff';
import type { Arguments } from './schema.d.ts';

const DEFAULT_CONTEXT = 3;
/** Changes after which a comparison is no help any more, and its time grows with the square. */
const MAX_EDITS = 10_000;

export default function textDiff(options: Arguments): string {
  const { before, after, by = 'lines', ignoreWhitespace = false } = options;
  if (before === after) return 'The texts are identical.';
  if (ignoreWhitespace && before.replace(/\s+/g, '') === after.replace(/\s+/g, '')) {
    return 'The texts differ in whitespace only.';
  }
  return by === 'lines' ? compareLines(options) : compareWords(options);
}

function compareLines(options: Arguments): string {
  const { before, after, context = DEFAULT_CONTEXT, ignoreWhitespace = false } = options;
  const { beforeName = 'before', afterName = 'after' } = options;
  const settings = { ignoreWhitespace, maxEditLength: MAX_EDITS };
  const parts = diffLines(before, after, settings) ?? tooDifferent();
  const patch = createTwoFilesPatch(
    oneLine(beforeName),
    oneLine(afterName),
    before,
    after,
    undefined,
    undefined,
    {
      ...settings,
      context,
      headerOptions: FILE_HEADERS_ONLY,
    },
  );
  return `${summarise(parts, 'line')}\n${patch ?? tooDifferent()}`;
}

function compareWords({ before, after, ignoreWhitespace = false }: Arguments): string {
  const compare = ignoreWhitespace ? diffWords : diffWordsWithSpace;
  const parts = compare(before, after, { maxEditLength: MAX_EDITS }) ?? tooDifferent();
  const marked = parts.map(({ added, removed, value }) => {
    if (added) return `{+${value}+}`;
    return removed ? `[-${value}-]` : value;
  });
  const words = parts.map((part) => ({ ...part, count: part.value.split(/\s+/).filter(Boolean).length }));
  return `${summarise(words, 'word')}\n${marked.join('')}`;
}

interface Counted {
  readonly added: boolean;
  readonly removed: boolean;
  readonly count: number;
}

function summarise(parts: readonly Counted[], unit: string): string {
  const count = (key: 'added' | 'removed') =>
    parts.reduce((total, part) => total + (part[key] ? part.count : 0), 0);
  const plural = (number: number) => `${number} ${unit}${number === 1 ? '' : 's'}`;
  return `${plural(count('added'))} added, ${plural(count('removed'))} removed.`;
}

const oneLine = (name: string) => name.replace(/[\r\n\t]+/g, ' ');

function tooDifferent(): never {
  throw new Error(
    `The texts differ in more than ${MAX_EDITS} places: they have little in common. Compare smaller parts of them.`,
  );
}
