import type { Note } from './notebook.ts';

/** Weight of a word by where it stands. */
const IN_KEY = 3;
const IN_TAGS = 2;
const IN_TEXT = 1;

/** Notes that hold at least one word of the query, those with most first; then the younger. */
export function rank(notes: readonly Note[], query: string): Note[] {
  const words = wordsOf(query);
  return notes
    .map((note) => ({ note, score: scoreOf(note, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.note.updated < other.note.updated ? 1 : -1))
    .map(({ note }) => note);
}

function scoreOf({ key, tags, text }: Note, words: readonly string[]): number {
  const [inKey, inTags, inText] = [key, tags.join(' '), text].map(fold);
  return words.reduce((score, word) => {
    const found =
      (inKey?.includes(word) ? IN_KEY : 0) +
      (inTags?.includes(word) ? IN_TAGS : 0) +
      (inText?.includes(word) ? IN_TEXT : 0);
    // One more word found counts for more than one word found in more places.
    return score + (found > 0 ? 10 + found : 0);
  }, 0);
}

/** Languages without blanks between words are taken character by character pair. */
function wordsOf(query: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  const words = [...segmenter.segment(fold(query))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
  return [...new Set(words.length === 0 ? [fold(query).trim()] : words)].filter((word) => word !== '');
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
