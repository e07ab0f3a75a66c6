/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The delimited text.
   */
  text: string;
  /**
   * e.g. ",", ";" or "\t". Found out when absent.
   */
  delimiter?: string;
  /**
   * The first row holds the column names; rows become objects. Without: rows are lists.
   */
  header?: boolean;
  /**
   * Turn numerals and true/false into values, and empty cells into null.
   */
  types?: boolean;
  /**
   * Only these columns, in this order. Needs a header.
   *
   * @minItems 1
   */
  columns?: [string, ...string[]];
  /**
   * Rows to skip.
   */
  offset?: number;
  /**
   * Rows to return at most; total says how many there are.
   */
  limit?: number;
}
