import { Decimal, flatten, toInteger, toNumber, type Value } from './numbers.ts';

type Implementation = (values: readonly Value[], name: string) => Decimal;

const MAX_FACTORIAL = 3_000;
/** sin(pi) is zero, not the rounding error of pi. */
const TRIGONOMETRIC_PLACES = 60;

const ZERO = new Decimal(0);
const ONE = new Decimal(1);
export const PI = Decimal.acos(-1);

export const CONSTANTS: Readonly<Record<string, Value>> = {
  pi: PI,
  e: Decimal.exp(1),
  tau: PI.times(2),
  phi: new Decimal(5).sqrt().plus(1).dividedBy(2),
  deg: PI.dividedBy(180),
  rad: ONE,
  true: true,
  false: false,
};

function unary(calculate: (x: Decimal) => Decimal): Implementation {
  return (values, name) => {
    expectCount(values, 1, 1, name);
    return calculate(toNumber(values[0], `${name}()`));
  };
}

const trigonometric = (calculate: (x: Decimal) => Decimal) =>
  unary((x) => calculate(x).toDecimalPlaces(TRIGONOMETRIC_PLACES));

function overList(calculate: (numbers: readonly Decimal[]) => Decimal, atLeast = 1): Implementation {
  return (values, name) => {
    const numbers = flatten(values, `${name}()`);
    if (numbers.length < atLeast)
      throw new Error(`${name}() needs at least ${atLeast} number${atLeast > 1 ? 's' : ''}.`);
    return calculate(numbers);
  };
}

function rounding(round: (x: Decimal, places: number) => Decimal): Implementation {
  return (values, name) => {
    expectCount(values, 1, 2, name);
    const places =
      values[1] === undefined ? 0 : toInteger(values[1], `${name}(), places,`, { minimum: 0, maximum: 60 });
    return round(toNumber(values[0], `${name}()`), places);
  };
}

function expectCount(values: readonly Value[], least: number, most: number, name: string): void {
  if (values.length >= least && values.length <= most) return;
  const expected = least === most ? `${least}` : `${least} to ${most}`;
  throw new Error(`${name}() takes ${expected} argument${most > 1 ? 's' : ''} and got ${values.length}.`);
}

const sum = (numbers: readonly Decimal[]) => numbers.reduce((total, x) => total.plus(x), ZERO);
const product = (numbers: readonly Decimal[]) => numbers.reduce((total, x) => total.times(x), ONE);
const mean = (numbers: readonly Decimal[]) => sum(numbers).dividedBy(numbers.length);
const sorted = (numbers: readonly Decimal[]) => [...numbers].sort((a, b) => a.comparedTo(b));

function median(numbers: readonly Decimal[]): Decimal {
  const ordered = sorted(numbers);
  const half = Math.floor((ordered.length - 1) / 2);
  return mean(ordered.slice(half, ordered.length - half));
}

function mode(numbers: readonly Decimal[]): Decimal {
  const counts = new Map<string, number>();
  for (const x of numbers) counts.set(x.toString(), (counts.get(x.toString()) ?? 0) + 1);
  const [most = '0'] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return new Decimal(most);
}

/** Of a sample: divided by n - 1, as spreadsheets' VAR and STDEV. */
function variance(numbers: readonly Decimal[]): Decimal {
  const middle = mean(numbers);
  return sum(numbers.map((x) => x.minus(middle).pow(2))).dividedBy(numbers.length - 1);
}

function wholePair(name: string, a: Decimal, b: Decimal): void {
  if (!a.isInteger() || !b.isInteger()) throw new Error(`${name}() needs whole numbers.`);
}

function gcd(a: Decimal, b: Decimal): Decimal {
  wholePair('gcd', a, b);
  let [x, y] = [a.abs(), b.abs()];
  while (!y.isZero()) [x, y] = [y, x.mod(y)];
  return x;
}

function lcm(a: Decimal, b: Decimal): Decimal {
  wholePair('lcm', a, b);
  return a.isZero() || b.isZero() ? ZERO : a.times(b).abs().dividedBy(gcd(a, b));
}

export function factorial(value: Value | undefined, where = 'factorial()'): Decimal {
  const n = toInteger(value, where, { minimum: 0, maximum: MAX_FACTORIAL });
  let result = ONE;
  for (let factor = 2; factor <= n; factor++) result = result.times(factor);
  return result;
}

function choose(values: readonly Value[], name: string, ordered: boolean): Decimal {
  expectCount(values, 2, 2, name);
  const n = toInteger(values[0], `${name}(), n,`, { minimum: 0, maximum: MAX_FACTORIAL });
  const k = toInteger(values[1], `${name}(), k,`, { minimum: 0, maximum: MAX_FACTORIAL });
  let result = ONE;
  for (let step = 0; step < k; step++) {
    result = result.times(n - step);
    if (!ordered) result = result.dividedBy(step + 1);
  }
  return result;
}

/** The remainder with the divisor's sign, as in mathematics: -1 mod 3 is 2. */
export function modulo(a: Decimal, b: Decimal): Decimal {
  if (b.isZero()) throw new Error('Modulo by zero is not defined.');
  return a.minus(b.times(a.dividedBy(b).floor()));
}

export const FUNCTIONS: Readonly<Record<string, Implementation>> = {
  abs: unary((x) => x.abs()),
  sign: unary((x) => new Decimal(Decimal.sign(x))),
  sqrt: unary((x) => x.sqrt()),
  cbrt: unary((x) => x.cbrt()),
  square: unary((x) => x.pow(2)),
  cube: unary((x) => x.pow(3)),
  exp: unary((x) => x.exp()),
  ln: unary((x) => x.ln()),
  log10: unary((x) => x.log(10)),
  log2: unary((x) => x.log(2)),
  log: (values, name) => {
    expectCount(values, 1, 2, name);
    const x = toNumber(values[0], 'log()');
    return values[1] === undefined ? x.ln() : x.log(toNumber(values[1], 'log(), base,'));
  },
  sin: trigonometric((x) => x.sin()),
  cos: trigonometric((x) => x.cos()),
  tan: trigonometric((x) => x.tan()),
  asin: trigonometric((x) => x.asin()),
  acos: trigonometric((x) => x.acos()),
  atan: trigonometric((x) => x.atan()),
  sinh: unary((x) => x.sinh()),
  cosh: unary((x) => x.cosh()),
  tanh: unary((x) => x.tanh()),
  atan2: (values, name) => {
    expectCount(values, 2, 2, name);
    return Decimal.atan2(toNumber(values[0], 'atan2()'), toNumber(values[1], 'atan2()'));
  },
  round: rounding((x, places) => x.toDecimalPlaces(places, Decimal.ROUND_HALF_UP)),
  floor: rounding((x, places) => x.toDecimalPlaces(places, Decimal.ROUND_FLOOR)),
  ceil: rounding((x, places) => x.toDecimalPlaces(places, Decimal.ROUND_CEIL)),
  trunc: rounding((x, places) => x.toDecimalPlaces(places, Decimal.ROUND_DOWN)),
  pow: (values, name) => {
    expectCount(values, 2, 2, name);
    return toNumber(values[0], 'pow()').pow(toNumber(values[1], 'pow()'));
  },
  mod: (values, name) => {
    expectCount(values, 2, 2, name);
    return modulo(toNumber(values[0], 'mod()'), toNumber(values[1], 'mod()'));
  },
  hypot: overList((numbers) => Decimal.hypot(...numbers)),
  min: overList((numbers) => Decimal.min(...numbers)),
  max: overList((numbers) => Decimal.max(...numbers)),
  sum: overList(sum, 0),
  prod: overList(product, 0),
  count: overList((numbers) => new Decimal(numbers.length), 0),
  mean: overList(mean),
  median: overList(median),
  mode: overList(mode),
  variance: overList(variance, 2),
  std: overList((numbers) => variance(numbers).sqrt(), 2),
  gcd: overList((numbers) => numbers.reduce(gcd)),
  lcm: overList((numbers) => numbers.reduce(lcm)),
  factorial: (values, name) => {
    expectCount(values, 1, 1, name);
    return factorial(values[0]);
  },
  combinations: (values, name) => choose(values, name, false),
  permutations: (values, name) => choose(values, name, true),
};
