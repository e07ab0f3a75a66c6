/**
 * A value that is nearly always there at once. Awaiting it all the same would cost each call several microtasks and a
 * kilobyte of garbage a stage, so the caller looks first: `pending instanceof Promise ? await pending : pending`.
 */
export type Eventually<Value> = Value | Promise<Value>;

/** `use` on the value, at once if it is there. */
export function whenThere<Value, Result>(
  value: Eventually<Value>,
  use: (value: Value) => Eventually<Result>,
): Eventually<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
