import { evaluate } from './evaluate.ts';
import { Decimal, isNumber, type Value } from './numbers.ts';
import type { Arguments } from './schema.d.ts';

const DEFAULT_DIGITS = 15;
/** Below the working precision, so that the last digits' rounding never shows. */
const SAFE_DIGITS = 60;

export default function calculator({ expression, variables = {}, digits = DEFAULT_DIGITS }: Arguments) {
  const scope = new Map<string, Value>();
  for (const [name, value] of Object.entries(variables)) scope.set(name, new Decimal(value));
  const result = evaluate(expression, scope);
  if (typeof result === 'boolean') return result;
  if (isNumber(result)) return present(result, digits);
  throw new Error(
    'The result is a list. Take one number of it, for example sum(...), mean(...) or max(...).',
  );
}

/** A number where a number holds every digit, else the digits as text. */
function present(value: Decimal, digits: number): number | string {
  const safe = value.toSignificantDigits(SAFE_DIGITS);
  const whole = safe.isInteger() && safe.precision(true) <= SAFE_DIGITS;
  const rounded = whole ? safe : safe.toSignificantDigits(digits);
  const asNumber = rounded.toNumber();
  const holds = Number.isFinite(asNumber) && new Decimal(asNumber).equals(rounded);
  // -0 would be written as 0 anyway.
  if (holds) return asNumber + 0;
  return whole ? rounded.toFixed() : rounded.toString();
}
