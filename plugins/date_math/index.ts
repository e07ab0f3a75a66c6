import { Temporal } from 'temporal-polyfill';
import { difference } from './difference.ts';
import { describe, type Moment, parseMoment, parseZone } from './moment.ts';
import type { Arguments } from './schema.d.ts';

const ALLOWED: Readonly<Record<Arguments['operation'], readonly (keyof Arguments)[]>> = {
  now: [],
  convert: ['date', 'toTimeZone'],
  add: ['date', 'duration'],
  subtract: ['date', 'duration'],
  difference: ['date', 'end'],
  info: ['date'],
};

export default function dateMath(options: Arguments) {
  const { operation, date, duration, end, largestUnit, toTimeZone } = options;
  checkFields(options);
  const zone = parseZone(options.timeZone ?? 'UTC', 'timeZone');
  if (operation === 'now') return describe({ value: Temporal.Now.zonedDateTimeISO(zone).round('second') });

  const moment = parseMoment(required(date, 'date', operation), zone, 'date');
  switch (operation) {
    case 'convert': {
      const target = parseZone(required(toTimeZone, 'toTimeZone', operation), 'toTimeZone');
      return describe(convert(moment, target));
    }
    case 'add':
    case 'subtract':
      return describe(shift(moment, required(duration, 'duration', operation), operation));
    case 'difference':
      return difference(
        moment,
        parseMoment(required(end, 'end', operation), zone, 'end'),
        largestUnit ?? 'years',
      );
    case 'info':
      return { ...describe(moment), ...facts(moment) };
  }
}

/** A field that the operation doesn't use is a misunderstanding, better said than ignored. */
function checkFields(options: Arguments): void {
  const { operation } = options;
  const used: readonly string[] = [
    'operation',
    'timeZone',
    ...ALLOWED[operation],
    ...(operation === 'difference' ? ['largestUnit'] : []),
  ];
  const extra = Object.keys(options).filter((key) => !used.includes(key));
  if (extra.length > 0) {
    throw new Error(
      `The operation "${operation}" doesn't use ${extra.join(', ')}. It uses: ${used.slice(1).join(', ')}.`,
    );
  }
}

function required(value: string | undefined, field: string, operation: string): string {
  if (value !== undefined) return value;
  throw new Error(`The operation "${operation}" needs "${field}".`);
}

function convert(moment: Moment, zone: string): Moment {
  if (moment.value instanceof Temporal.PlainDate) {
    throw new Error('A date without a time is the same day everywhere. Give a time: "2026-03-29T14:30".');
  }
  return { ...moment, value: moment.value.withTimeZone(zone) };
}

function shift(moment: Moment, text: string, operation: 'add' | 'subtract'): Moment {
  const duration = parseDuration(text);
  const { value } = moment;
  if (value instanceof Temporal.PlainDate) {
    if (
      duration.round({ largestUnit: 'hours', relativeTo: value }).total({ unit: 'days', relativeTo: value }) %
        1 !==
      0
    ) {
      throw new Error(
        `"${text}" is no whole number of days, and "date" has no time. Give a time: "${value}T00:00".`,
      );
    }
    return { ...moment, value: value[operation](duration) };
  }
  return { ...moment, value: value[operation](duration) };
}

function parseDuration(text: string): Temporal.Duration {
  try {
    return Temporal.Duration.from(text);
  } catch {
    throw new Error(
      `"${text}" is no ISO 8601 duration. Days, weeks, months and years follow P, hours, minutes and seconds PT: P3D, P2W, P1M, P1Y, PT36H, P1DT12H.`,
    );
  }
}

function facts({ value }: Moment) {
  const { year, month, quarter, dayOfYear, weekOfYear, yearOfWeek, daysInMonth, inLeapYear } = {
    year: value.year,
    month: value.month,
    quarter: Math.ceil(value.month / 3),
    dayOfYear: value.dayOfYear,
    weekOfYear: value.weekOfYear,
    yearOfWeek: value.yearOfWeek,
    daysInMonth: value.daysInMonth,
    inLeapYear: value.inLeapYear,
  };
  const week = `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`;
  const day = { year, month, quarter, isoWeek: week, dayOfYear, daysInMonth, leapYear: inLeapYear };
  if (value instanceof Temporal.PlainDate) return day;
  const january = value.with({ month: 1, day: 1 }).offsetNanoseconds;
  const july = value.with({ month: 7, day: 1 }).offsetNanoseconds;
  return {
    ...day,
    daylightSaving: january !== july && value.offsetNanoseconds === Math.max(january, july),
    hoursInDay: value.hoursInDay,
    unixSeconds: Math.floor(value.epochMilliseconds / 1000),
  };
}
