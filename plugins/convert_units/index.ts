import { Decimal } from 'decimal.js';
import { type Dimension, describeDimension, invert, type Quantity, sameDimension } from './dimension.ts';
import { parseUnit } from './parse-unit.ts';
import type { Arguments } from './schema.d.ts';
import { findTemperature } from './temperature.ts';

const DEFAULT_DIGITS = 12;

export default function convertUnits({ value, from, to, digits = DEFAULT_DIGITS }: Arguments) {
  const amount = new Decimal(value);
  const round = (result: Decimal) => {
    const rounded = result.toSignificantDigits(digits).toNumber();
    if (!Number.isFinite(rounded)) throw new Error(`${value} ${from} in ${to} is too large for a number.`);
    return rounded + 0;
  };

  const [fromScale, toScale] = [findTemperature(from), findTemperature(to)];
  if (fromScale && toScale) {
    const kelvin = fromScale.toKelvin(amount);
    if (kelvin.lessThan(0)) throw new Error(`${value} ${from} is below absolute zero.`);
    return { value: round(toScale.fromKelvin(kelvin)), unit: to };
  }

  const [source, target] = [parseUnit(from), parseUnit(to)];
  if (sameDimension(source.dimension, target.dimension)) {
    return { value: round(amount.times(source.factor).dividedBy(target.factor)), unit: to };
  }
  if (sameDimension(source.dimension, invert(target.dimension))) {
    if (amount.isZero())
      throw new Error(`0 ${from} has no value in ${to}: the two are each other's inverse.`);
    const inverse = new Decimal(1).dividedBy(amount.times(source.factor).times(target.factor));
    const note = `${from} and ${to} are each other's inverse: a larger number in one is a smaller one in the other.`;
    return { value: round(inverse), unit: to, note };
  }
  throw new Error(mismatch({ name: from, ...source }, { name: to, ...target }));
}

type Named = Quantity & { readonly name: string };

function mismatch(from: Named, to: Named): string {
  const kind = (dimension: Dimension) => describeDimension(dimension);
  return `${from.name} is a unit of ${kind(from.dimension)} and ${to.name} one of ${kind(to.dimension)}: these can't be converted into each other.`;
}
