/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The old text.
   */
  before: string;
  /**
   * The new text.
   */
  after: string;
  /**
   * lines: a unified diff. words: the text with [-removed-] and {+added+} words, good for prose.
   */
  by?: "lines" | "words";
  /**
   * Unchanged lines around each change. Only with by: lines.
   */
  context?: number;
  /**
   * Treat texts that differ only in spaces, tabs and indentation as equal.
   */
  ignoreWhitespace?: boolean;
  /**
   * Name shown for the old text.
   */
  beforeName?: string;
  /**
   * Name shown for the new text.
   */
  afterName?: string;
}
