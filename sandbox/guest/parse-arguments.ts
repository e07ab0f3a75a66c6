import { apply, parse } from './intrinsics.ts';

const NativeBigInt = BigInt;
const { exec } = RegExp.prototype;
const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * The arguments as plain values, save that an integer which no double holds arrives as a `bigint`: an identifier of
 * twenty digits would else silently become another one. Only texts with a run of digits that long pay for it.
 */
export function parseArguments(text: string): unknown {
  if (apply(exec, LONG_DIGITS, [text]) === null) return parse(text);
  return (parse as (text: string, reviver: Reviver) => unknown)(text, keepDigits); // "source text access", ES2026
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || value - value !== 0) return value;
  if (apply(exec, INTEGER, [source]) === null) return value;
  return NativeBigInt(source) === NativeBigInt(value) ? value : NativeBigInt(source);
}
