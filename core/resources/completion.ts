/** Values that begin like what was typed, as MCP's `completion/complete` answers. */
export interface Completion {
  readonly ok: true;
  /** At most 100. */
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

const MAX_VALUES = 100;

/** Those that begin with the typed text, case apart, in the order they were given; then those that contain it. */
export function matchValues(values: readonly string[], typed: string): Completion {
  const wanted = typed.toLowerCase();
  const begin: string[] = [];
  const contain: string[] = [];
  for (const value of values) {
    const at = value.toLowerCase().indexOf(wanted);
    if (at === 0) begin.push(value);
    else if (at > 0) contain.push(value);
  }
  return completionOf([...begin, ...contain]);
}

export function completionOf(values: readonly string[]): Completion {
  return {
    ok: true,
    values: values.slice(0, MAX_VALUES),
    total: values.length,
    hasMore: values.length > MAX_VALUES,
  };
}
