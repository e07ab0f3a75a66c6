import { Decimal } from 'decimal.js';

/** A scale with a zero of its own: only a temperature itself can be converted, not a difference or a compound. */
interface TemperatureScale {
  toKelvin(value: Decimal): Decimal;
  fromKelvin(kelvin: Decimal): Decimal;
}

const FAHRENHEIT_ZERO = new Decimal('459.67');
const CELSIUS_ZERO = new Decimal('273.15');

const SCALES: readonly (readonly [readonly string[], TemperatureScale])[] = [
  [['k', 'kelvin', 'kelvins', 'degk', '°k'], { toKelvin: (value) => value, fromKelvin: (kelvin) => kelvin }],
  [
    ['c', '°c', '℃', 'degc', 'celsius', 'centigrade', 'tempc'],
    { toKelvin: (value) => value.plus(CELSIUS_ZERO), fromKelvin: (kelvin) => kelvin.minus(CELSIUS_ZERO) },
  ],
  [
    ['f', '°f', '℉', 'degf', 'fahrenheit', 'tempf'],
    {
      toKelvin: (value) => value.plus(FAHRENHEIT_ZERO).times(5).dividedBy(9),
      fromKelvin: (kelvin) => kelvin.times(9).dividedBy(5).minus(FAHRENHEIT_ZERO),
    },
  ],
  [
    ['r', '°r', 'degr', 'rankine'],
    {
      toKelvin: (value) => value.times(5).dividedBy(9),
      fromKelvin: (kelvin) => kelvin.times(9).dividedBy(5),
    },
  ],
];

/** `C`, `°F`, `degrees celsius`... */
export function findTemperature(unit: string): TemperatureScale | undefined {
  const name = unit
    .trim()
    .toLowerCase()
    .replace(/^degrees?[ _]+/, '')
    .replace(/^°\s+/, '°');
  return SCALES.find(([names]) => names.includes(name))?.[1];
}
