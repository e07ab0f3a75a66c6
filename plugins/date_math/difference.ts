import { Temporal } from 'temporal-polyfill';
import type { Moment } from './moment.ts';
import type { Arguments } from './schema.d.ts';

type Unit = NonNullable<Arguments['largestUnit']>;

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;
type TimeUnit = 'hours' | 'minutes' | 'seconds';

const isTimeUnit = (unit: Unit): unit is TimeUnit =>
  unit === 'hours' || unit === 'minutes' || unit === 'seconds';

/** From `start` to `end`: negative when `end` is earlier. */
export function difference(start: Moment, end: Moment, largestUnit: Unit) {
  const [from, to] = [start.value, end.value];
  const notes = [start.note, end.note].filter((note) => note !== undefined);
  const extra = notes.length > 0 ? { note: notes.join(' ') } : {};
  if (from instanceof Temporal.PlainDate && to instanceof Temporal.PlainDate) {
    if (isTimeUnit(largestUnit)) {
      throw new Error(
        `Two dates without times have no difference in ${largestUnit}. Give times, or ask for days.`,
      );
    }
    const duration = from.until(to, { largestUnit });
    return { ...spell(duration), totalDays: from.until(to).days, ...extra };
  }
  if (from instanceof Temporal.PlainDate || to instanceof Temporal.PlainDate) {
    throw new Error('"date" and "end" must both have a time, or both have none.');
  }
  const duration = from.until(to.withTimeZone(from.timeZoneId), { largestUnit, smallestUnit: 'seconds' });
  const seconds = (to.epochMilliseconds - from.epochMilliseconds) / 1000;
  return { ...spell(duration), totalSeconds: Math.trunc(seconds), ...extra };
}

function spell(duration: Temporal.Duration) {
  const parts = UNITS.flatMap((unit) => {
    const amount = Math.abs(duration[unit]);
    if (amount === 0) return [];
    return [`${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`];
  });
  const words = parts.join(', ') || 'no time at all';
  return { duration: duration.toString(), text: duration.sign < 0 ? `${words} earlier` : words };
}
