import type { ts } from './compiler.ts';
import { positionOf } from './inline-comments.ts';

/** What keeps a schema from being read out of code, at its place. */
export interface SignatureProblem {
  /** Absolute. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** Ends the reading. Thrown, since it comes from deep inside recursive readers; derive-worker.ts turns it into a value. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly problem: SignatureProblem;

  constructor(problem: SignatureProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function problemAt(node: ts.Node, message: string): SignatureProblem {
  return problemIn(node.getSourceFile(), node.getStart(), message);
}

export function problemIn(file: ts.SourceFile, offset: number, message: string): SignatureProblem {
  const { line, column } = positionOf(file, offset);
  return { file: file.fileName, line: line + 1, column: column + 1, message };
}
