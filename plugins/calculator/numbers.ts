import { Decimal as BaseDecimal } from 'decimal.js';

/** Digits of working precision: a whole number up to 10^60 is exact. */
export const PRECISION = 64;

export const Decimal = BaseDecimal.clone({ precision: PRECISION, toExpNeg: -7, toExpPos: 21 });
export type Decimal = BaseDecimal;

export type Value = Decimal | boolean | readonly Value[];

export const isNumber = (value: Value): value is Decimal => Decimal.isDecimal(value);
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** The value as a number, or an error that says where one was needed. */
export function toNumber(value: Value | undefined, where: string): Decimal {
  if (value === undefined) throw new Error(`${where} needs a number and got none.`);
  if (isNumber(value)) return value;
  throw new Error(`${where} needs a number, not ${isList(value) ? 'a list' : value}.`);
}

/** `sum(1, 2)`, `sum([1, 2])` and `sum(1:2)` are the same. */
export function flatten(values: readonly Value[], where: string): readonly Decimal[] {
  const numbers = values.flatMap((value) =>
    isList(value) ? flatten(value, where) : [toNumber(value, where)],
  );
  return numbers;
}

export function toInteger(
  value: Value | undefined,
  where: string,
  { minimum = -Infinity, maximum = Infinity } = {},
): number {
  const number = toNumber(value, where);
  const outside = number.lessThan(minimum) || number.greaterThan(maximum);
  if (!number.isInteger() || outside) {
    const range =
      Number.isFinite(minimum) && Number.isFinite(maximum) ? ` from ${minimum} to ${maximum}` : '';
    throw new Error(`${where} needs a whole number${range}, not ${number.toString()}.`);
  }
  return number.toNumber();
}
