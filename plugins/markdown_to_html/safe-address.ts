const ALLOWED_SCHEME = /^(https?|mailto|tel):/i;

/**
 * Whether a link's address is relative or of an allowed scheme. A browser ignores control characters and spaces in a
 * scheme and decodes entities before it reads one, so `java\nscript:` and `javascript&colon;` count as schemes too.
 */
export function isSafeAddress(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what browsers ignore
  const plain = address.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '');
  const [beforePath = ''] = plain.split(/[/?#]/, 1);
  return !/[:&]/.test(beforePath) || ALLOWED_SCHEME.test(plain);
}
