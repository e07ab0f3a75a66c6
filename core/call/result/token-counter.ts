/** Counts the tokens of a text, for a limit in tokens instead of characters. */
export type TokenCounter = (text: string) => number;

/** Byte-pair encoding is quadratic in the length of a run that never splits, such as a million times "a". */
const CHUNK_CHARS = 1_000;

/**
 * Loads the o200k tokenizer (GPT-4o and later; close enough for other families) of the optional package
 * `gpt-tokenizer`. It is large, so it is loaded only by those who ask for a limit in tokens.
 *
 * @throws Error when the package is not installed.
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  try {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return inChunks((text) => countTokens(text, { allowedSpecial: 'all' }));
  } catch (cause) {
    throw new Error('A limit in tokens needs the package "gpt-tokenizer": npm install gpt-tokenizer', {
      cause,
    });
  }
}

/** Counts piece by piece: a little too much at the seams, never quadratic. */
export function inChunks(count: TokenCounter): TokenCounter {
  return (text) => {
    let tokens = 0;
    for (let from = 0; from < text.length; from += CHUNK_CHARS)
      tokens += count(text.slice(from, from + CHUNK_CHARS));
    return tokens;
  };
}
