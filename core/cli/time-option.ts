import { UsageError } from './exit-code.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * A moment as a command line names it: a date or a time (ISO 8601), or how long ago it was (`90s`, `15m`, `2h`, `3d`,
 * `1w`).
 *
 * @throws UsageError for anything else.
 */
export function readMoment(flag: string, text: string, now: Date): Date {
  const ago = /^(\d{1,9})([smhdw])$/.exec(text);
  const unit = UNITS[ago?.[2] ?? ''];
  const moment =
    unit === undefined
      ? new Date(/^\d{4}-\d\d(?:-\d\d)?(?:[T ].*)?$/.test(text) ? text : Number.NaN)
      : new Date(now.getTime() - Number(ago?.[1]) * unit);
  if (Number.isNaN(moment.getTime()))
    throw new UsageError(
      `${flag} must be a time like 2026-01-31T12:00:00Z, or how long ago, like 15m, 2h or 3d; it is "${text}"`,
    );
  return moment;
}
