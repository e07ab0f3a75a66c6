import type { Decimal } from 'decimal.js';

/** Exponent of each base unit; a base unit that is absent has exponent 0. */
export type Dimension = Readonly<Partial<Record<Base, number>>>;
export type Base = 'm' | 'kg' | 's' | 'A' | 'K' | 'mol' | 'cd' | 'rad' | 'bit';

/** How many base units one of this unit is. */
export interface Quantity {
  readonly factor: Decimal;
  readonly dimension: Dimension;
}

const KINDS: readonly (readonly [string, Dimension])[] = [
  ['length', { m: 1 }],
  ['area', { m: 2 }],
  ['volume', { m: 3 }],
  ['mass', { kg: 1 }],
  ['time', { s: 1 }],
  ['frequency', { s: -1 }],
  ['speed', { m: 1, s: -1 }],
  ['acceleration', { m: 1, s: -2 }],
  ['force', { kg: 1, m: 1, s: -2 }],
  ['pressure', { kg: 1, m: -1, s: -2 }],
  ['energy', { kg: 1, m: 2, s: -2 }],
  ['power', { kg: 1, m: 2, s: -3 }],
  ['density', { kg: 1, m: -3 }],
  ['flow', { m: 3, s: -1 }],
  ['fuel consumption', { m: 2 }],
  ['fuel economy', { m: -2 }],
  ['temperature', { K: 1 }],
  ['angle', { rad: 1 }],
  ['angular speed', { rad: 1, s: -1 }],
  ['data', { bit: 1 }],
  ['data rate', { bit: 1, s: -1 }],
  ['electric current', { A: 1 }],
  ['electric charge', { A: 1, s: 1 }],
  ['voltage', { kg: 1, m: 2, s: -3, A: -1 }],
  ['resistance', { kg: 1, m: 2, s: -3, A: -2 }],
  ['amount of substance', { mol: 1 }],
  ['luminous intensity', { cd: 1 }],
  ['pure numbers', {}],
];

export function combine(a: Dimension, b: Dimension, times = 1): Dimension {
  const result: Partial<Record<Base, number>> = { ...a };
  // The keys of a Dimension are Bases: Object.entries loses that type.
  for (const [base, exponent] of Object.entries(b) as [Base, number][]) {
    const sum = (result[base] ?? 0) + exponent * times;
    if (sum === 0) delete result[base];
    else result[base] = sum;
  }
  return result;
}

export const invert = (dimension: Dimension) => combine({}, dimension, -1);

export function sameDimension(a: Dimension, b: Dimension): boolean {
  return Object.keys(combine(a, b, -1)).length === 0;
}

/** `pressure`, or the base units where the kind has no name. */
export function describeDimension(dimension: Dimension): string {
  const named = KINDS.find(([, candidate]) => sameDimension(candidate, dimension));
  if (named) return named[0];
  return Object.entries(dimension)
    .map(([base, exponent]) => (exponent === 1 ? base : `${base}^${exponent}`))
    .join(' ');
}
