/** Something in a schema or schema.json that can't be accepted. */
export interface Problem {
  /** JSON Pointer to the place; empty for the whole. */
  readonly path: string;
  /** A sentence without its subject's path, for people. */
  readonly message: string;
  /** 1-based place in the text, where it is known. */
  readonly line?: number;
  readonly column?: number;
}

/** Where findings are gathered while a schema is walked. */
export interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}
