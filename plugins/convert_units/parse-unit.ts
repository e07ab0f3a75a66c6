import { Decimal } from 'decimal.js';
import { closest, distance } from 'fastest-levenshtein';
import { combine, type Quantity } from './dimension.ts';
import { findUnit, UNIT_NAMES } from './units.ts';

const MAX_EXPONENT = 12;
const ONE: Quantity = { factor: new Decimal(1), dimension: {} };
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Names of two and three words are single names in the table. */
const WORD_GROUPS =
  /\b(nautical|light|imperial fluid|imperial|uk|us|troy|short|long|metric|fluid|fl|astronomical|standard|watt|amp|foot|pound|pounds|kilogram|speed of)[ -](miles?|years?|mpg|gallons?|pints?|ounces?|oz|tons?|horsepower|units?|gravity|hours?|pounds?|force|light)\b/gi;

/** `m`, `kg/m^3`, `W/(m^2 K)`, `square feet`, `miles per hour`, `l/100km` as one quantity in base units. */
export function parseUnit(text: string): Quantity {
  const tokens = tokenise(text);
  let position = 0;
  const fail = (reason: string): never => {
    throw new Error(
      `The unit "${text}" can't be read: ${reason}. Write it like "kg", "km/h", "m^2" or "W/(m^2 K)".`,
    );
  };

  function product(): Quantity {
    let total = ONE;
    let sign = 1;
    for (let expected = true; ; ) {
      const token = tokens[position];
      if (token === undefined || token === ')') {
        if (expected) fail('it ends where a unit should follow');
        return total;
      }
      if (token === '*' || token === '/') {
        // "1/s" begins with a number; "/s" is the same.
        if (expected && !(token === '/' && total === ONE)) fail(`"${token}" needs a unit before it`);
        sign = token === '/' ? -1 : 1;
        position++;
        expected = true;
        continue;
      }
      total = multiply(total, raised(), sign);
      sign = 1;
      expected = false;
    }
  }

  function raised(): Quantity {
    const base = single();
    if (tokens[position] !== '^') return base;
    const exponent = Number(tokens[position + 1]);
    position += 2;
    if (!Number.isInteger(exponent) || Math.abs(exponent) > MAX_EXPONENT) {
      fail(`an exponent must be a whole number from -${MAX_EXPONENT} to ${MAX_EXPONENT}`);
    }
    return power(base, exponent);
  }

  function single(): Quantity {
    const token = tokens[position++] ?? '';
    if (token === '(') {
      const inside = product();
      if (tokens[position++] !== ')') fail('a parenthesis is not closed');
      return inside;
    }
    if (token === '²' || token === '³') return power(raised(), token === '²' ? 2 : 3);
    if (/^\d/.test(token)) {
      const number: Quantity = { factor: new Decimal(token), dimension: {} };
      // l/100km is l/(100 km)
      return isUnit(tokens[position]) ? multiply(number, raised(), 1) : number;
    }
    return findUnit(token) ?? fail(unknown(token));
  }

  const quantity = product();
  if (position < tokens.length) fail(`"${tokens[position]}" stands alone`);
  if (quantity.factor.isZero()) fail('it contains a zero');
  return quantity;
}

const isUnit = (token: string | undefined) => token !== undefined && /^[^\d*/()^]/.test(token);

function tokenise(text: string): string[] {
  const plain = text
    .trim()
    .replace(WORD_GROUPS, (words) => words.toLowerCase().replaceAll(/[ -]/g, '_'))
    .replace(/_force_?/g, '_force')
    .replace(/\b(square|sq\.?)\s+/gi, ' ² ')
    .replace(/\b(cubic|cu\.?)\s+/gi, ' ³ ')
    .replace(/\s+per\s+/gi, '/')
    .replace(/(?<=[\p{L}%)])\s*([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/gu, (_, digits: string) => `^${fromSuperscripts(digits)}`)
    .replace(/\*\*/g, '^')
    // m2, s-1
    .replace(/(?<=\p{L})(-?\d+)(?![\p{L}\d])/gu, '^$1')
    .replace(/[·⋅×]/g, '*');
  return (
    plain.match(
      /\^|[*/()²³]|(?<=\^\s*)-?\d+|\d+(?:\.\d+)?(?:e-?\d+)?|[\p{L}_°%‰″′"'℃℉]+(?:\d+(?=_))?|[^\s]/gu,
    ) ?? []
  );
}

function fromSuperscripts(digits: string): string {
  return [...digits].map((digit) => (digit === '⁻' ? '-' : SUPERSCRIPTS.indexOf(digit))).join('');
}

function multiply(a: Quantity, b: Quantity, sign: number): Quantity {
  return {
    factor: sign === 1 ? a.factor.times(b.factor) : a.factor.dividedBy(b.factor),
    dimension: combine(a.dimension, b.dimension, sign),
  };
}

function power({ factor, dimension }: Quantity, exponent: number): Quantity {
  return { factor: factor.pow(exponent), dimension: combine({}, dimension, exponent) };
}

function unknown(name: string): string {
  if (/^(usd|eur|gbp|jpy|cny|dollars?|euros?|[$€£¥])$/i.test(name)) {
    return `"${name}" is a currency, and exchange rates change: this tool has none`;
  }
  if (/^[°]?[cf]$|celsius|fahrenheit/i.test(name)) {
    return `"${name}" has its own zero and can't be part of a compound; use K for temperature differences`;
  }
  const near = closest(name, [...UNIT_NAMES]);
  const likely = distance(name.toLowerCase(), near.toLowerCase()) <= name.length / 3;
  return `"${name}" is no unit that this tool knows${likely ? `; perhaps "${near.replaceAll('_', ' ')}"` : ''}`;
}
