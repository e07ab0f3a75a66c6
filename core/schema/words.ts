/** What a value is, for the sentences: what a model sent, what a tool gave back, or what an author wrote. */
export type Subject = 'arguments' | 'result' | 'file';

/** The sentences of one language. Names and values come ready to print. */
export interface Words {
  readonly root: Readonly<Record<Subject, string>>;
  readonly types: Readonly<Record<string, string>>;
  list(parts: readonly string[], conjunction: 'or' | 'and'): string;
  more(count: number): string;

  // What was received.
  readonly received: {
    string(shown: string, characters: number): string;
    scalar(type: 'number' | 'boolean', shown: string): string;
    array(items: number): string;
    object(keys: readonly string[]): string;
    readonly null: string;
  };

  // What was expected.
  readonly expected: {
    oneOf(values: readonly string[]): string;
    exactly(value: string): string;
    limit(comparison: string, limit: string): string;
    multipleOf(factor: string): string;
    characters(bound: 'least' | 'most', count: number): string;
    items(bound: 'least' | 'most', count: number): string;
    keys(bound: 'least' | 'most', count: number): string;
    format(format: string, example: string | undefined): string;
    pattern(pattern: string): string;
    objectWith(keys: readonly string[]): string;
    arrayOf(items: string): string;
    readonly different: string;
    notLike(excluded: string): string;
    readonly anything: string;
  };

  // Whole sentences.
  mustBe(name: string, expected: string, received: string): string;
  missing(name: string, expected: string | undefined): string;
  missingBecause(name: string, because: string): string;
  missingChoice(name: string, expected: string): string;
  unknownKey(name: string, known: readonly string[]): string;
  forbiddenKey(name: string): string;
  badKey(name: string, key: string, expected: string | undefined): string;
  duplicates(name: string, first: number, second: number, shown: string): string;
  contains(name: string, minimum: number, maximum: number | undefined, expected: string): string;
  extraItems(name: string, count: number): string;
  oneOfThese(name: string, alternatives: readonly string[], received: string): string;
  severalOfThese(name: string, alternatives: readonly string[]): string;
  broken(name: string, keyword: string): string;
  didYouMean(name: string): string;
  givenInstead(name: string): string;
  uncheckable(name: string, reason: 'large' | 'deep'): string;
}
