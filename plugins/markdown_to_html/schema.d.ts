/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The Markdown text.
   */
  markdown: string;
  /**
   * What becomes of HTML tags written in the Markdown: shown as text, or left out.
   */
  rawHtml?: "escape" | "remove";
  /**
   * Turn each single line break into <br>.
   */
  breaks?: boolean;
}
