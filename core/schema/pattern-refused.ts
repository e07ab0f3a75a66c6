/** Why a pattern is refused; the message completes "the pattern …". Thrown and caught within the translation. */
export class PatternRefused extends Error {}
