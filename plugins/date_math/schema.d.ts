/* Generated from schema.json by Glovebox. Do not edit. */

export interface Arguments {
  /**
   * now: the time in timeZone. convert: date in toTimeZone. add, subtract: date and duration. difference: from date to end. info: facts about date.
   */
  operation: "now" | "convert" | "add" | "subtract" | "difference" | "info";
  /**
   * ISO 8601, e.g. "2026-03-29", "2026-03-29T14:30", "2026-03-29T14:30Z", "2026-03-29T14:30+02:00". Needed by all but now.
   */
  date?: string;
  /**
   * IANA zone such as "Europe/Berlin" or "Asia/Shanghai": where a time without an offset was read off a clock, and the zone of the answer.
   */
  timeZone?: string;
  /**
   * IANA zone to convert to. Only with convert.
   */
  toTimeZone?: string;
  /**
   * ISO 8601 duration for add and subtract, e.g. "P1M", "P2W", "PT36H", "P1DT12H", "-P3D".
   */
  duration?: string;
  /**
   * The second moment, for difference.
   */
  end?: string;
  /**
   * Largest unit of the difference. Default: years.
   */
  largestUnit?: "years" | "months" | "weeks" | "days" | "hours" | "minutes" | "seconds";
}
