/** What keeps a plugin from being loaded; the operator reads it. */
export interface LoadProblem {
  /** Relative to the plugin's directory. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** `index.ts:3:7: message`. */
export function formatProblem({ file, line, column, message }: LoadProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}
