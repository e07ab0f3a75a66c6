/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The JSON to query, as a value or as a string of JSON text.
   */
  data: {} | unknown[] | string | number | boolean | null;
  /**
   * A JSONata expression.
   */
  query: string;
}
