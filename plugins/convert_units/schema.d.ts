/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * The amount in `from` units.
   */
  value: number;
  /**
   * Unit to convert from, e.g. "mi", "°F", "kg/m^3", "GiB".
   */
  from: string;
  /**
   * Unit to convert to, of the same kind.
   */
  to: string;
  /**
   * Significant digits of the result.
   */
  digits?: number;
}
