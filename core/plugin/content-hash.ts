import { createHash } from 'node:crypto';

const VERSION_CHARS = 16;

/** SHA-256 of the parts, hexadecimal; where one ends counts too. */
export function contentHash(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

export function versionOf(...parts: readonly string[]): string {
  return contentHash(...parts).slice(0, VERSION_CHARS);
}
