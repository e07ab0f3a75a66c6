/** `usage`: the command line, the config or a missing consent; `failed`: it was tried and did not work. */
export interface Refusal {
  readonly ok: false;
  readonly kind: 'usage' | 'failed';
  /** For the operator; may be several lines, and may hold a stranger's text. */
  readonly message: string;
}

export type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refusal;

export function done<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

export function failed(message: string): Refusal {
  return { ok: false, kind: 'failed', message };
}

export function misused(message: string): Refusal {
  return { ok: false, kind: 'usage', message };
}

/** What went wrong with a file, without its path. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException; // node:fs rejects with these; anything else has no code
  return code ?? (error instanceof Error ? error.message : 'unknown reason');
}
