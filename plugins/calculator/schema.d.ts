/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The expression, e.g. "sqrt(2) * 10^3". Write numbers without thousands separators.
   */
  expression: string;
  /**
   * Values for names that the expression uses, e.g. {"rate": 0.035}.
   */
  variables?: {
    [k: string]: number;
  };
  /**
   * Significant digits of a result that is not a whole number.
   */
  digits?: number;
}
