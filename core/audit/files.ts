import { stat } from 'node:fs/promises';

export interface AuditFile {
  readonly path: string;
  readonly inode: number;
}

/** `audit.jsonl.2`: the second youngest of those that were put aside. */
export function rotatedPath(path: string, number: number): string {
  return number === 0 ? path : `${path}.${number}`;
}

/** More rotated files than anybody keeps. */
const MOST_FILES = 1_000;

/**
 * What there is, oldest first. A rotation that goes on meanwhile renames from the oldest to the youngest; going the
 * other way meets a file twice at worst, and never misses one.
 */
export async function auditFiles(path: string): Promise<readonly AuditFile[]> {
  const files = new Map<number, AuditFile>();
  let missing = 0;
  for (let number = 0; number < MOST_FILES && missing < 2; number += 1) {
    const found = await stat(rotatedPath(path, number)).catch(() => undefined);
    // Between two renames one number is missing for a moment.
    missing = found ? 0 : missing + 1;
    // Set anew: where it was met last is where it is.
    if (found) {
      files.delete(found.ino);
      files.set(found.ino, { path: rotatedPath(path, number), inode: found.ino });
    }
  }
  return [...files.values()].reverse();
}
