import { Temporal } from 'temporal-polyfill';

/** A whole day, or a moment in a zone, with what has to be said about how it was read. */
export interface Moment {
  readonly value: Temporal.PlainDate | Temporal.ZonedDateTime;
  readonly note?: string;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function parseZone(name: string, field: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    throw new Error(
      `"${field}": "${name}" is no time zone. Use an IANA name such as "Europe/Berlin", "America/New_York" or "Asia/Shanghai", "UTC", or an offset such as "+02:00".`,
    );
  }
}

/** Reads ISO 8601: a day, a clock time in `zone`, or a moment with an offset or a [zone] of its own. */
export function parseMoment(raw: string, zone: string, field: string): Moment {
  const text = raw.trim().replace(/^(\d{4}-\d{2}-\d{2}) +(?=\d)/, '$1T');
  try {
    if (/\[[^\]]+\]$/.test(text)) return { value: Temporal.ZonedDateTime.from(text) };
    if (/T.*(Z|[+-]\d{2}(:?\d{2})?)$/i.test(text))
      return { value: Temporal.Instant.from(text).toZonedDateTimeISO(zone) };
    if (/T/i.test(text)) return fromClock(Temporal.PlainDateTime.from(text, { overflow: 'reject' }), zone);
    return { value: Temporal.PlainDate.from(text, { overflow: 'reject' }) };
  } catch (error) {
    const reason = /^\d{4}-\d{2}-\d{2}/.test(text) && error instanceof Error ? ` (${error.message})` : '';
    throw new Error(
      `"${field}": "${raw}" is no ISO 8601 date or time${reason}. Write it like 2026-03-29, 2026-03-29T14:30 or 2026-03-29T14:30+02:00.`,
    );
  }
}

/** A clock time can be skipped or come twice on the day that daylight saving begins or ends. */
function fromClock(clock: Temporal.PlainDateTime, zone: string): Moment {
  const earlier = clock.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = clock.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.equals(later)) return { value: earlier };
  const value = clock.toZonedDateTime(zone);
  const time = clock.toString({ smallestUnit: 'minute' });
  const skipped = !value.toPlainDateTime().equals(clock);
  return {
    value,
    note: skipped
      ? `${time} does not exist in ${zone}: clocks went forward over it; ${value.toPlainTime().toString({ smallestUnit: 'minute' })} was used.`
      : `${time} comes twice in ${zone}, as clocks go back; the first was used (offset ${value.offset}).`,
  };
}

export function describe({ value, note }: Moment) {
  const weekday = WEEKDAYS[value.dayOfWeek - 1];
  const extra = note === undefined ? {} : { note };
  if (value instanceof Temporal.PlainDate) return { date: value.toString(), weekday, ...extra };
  return {
    date: value.toString({ timeZoneName: 'never' }),
    timeZone: value.timeZoneId,
    weekday,
    utc: value.toInstant().toString(),
    ...extra,
  };
}
