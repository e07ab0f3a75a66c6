import { failed, type Refusal } from './outcome.ts';

/** What one addition may put on the disk, packages included. */
export const MAX_FILES = 20_000;
export const MAX_BYTES = 128 * 1024 * 1024;
export const MAX_DEPTH = 32;
const MAX_PATH_CHARS = 1_024;

/** Counts what is written, so that a bomb ends at the cap and not at the end of the disk. */
export class Allowance {
  #files = MAX_FILES;
  #bytes = MAX_BYTES;

  /** Takes one entry; a refusal when it is one too many. */
  takeEntry(name: string): Refusal | undefined {
    this.#files -= 1;
    if (this.#files < 0) return failed(`it holds more than ${MAX_FILES} files and folders`);
    if (name.length > MAX_PATH_CHARS)
      return failed(`it holds a path of more than ${MAX_PATH_CHARS} characters`);
    if (name.split('/').length > MAX_DEPTH) return failed(`it nests folders more than ${MAX_DEPTH} deep`);
    return undefined;
  }

  takeBytes(count: number): Refusal | undefined {
    this.#bytes -= count;
    return this.#bytes < 0
      ? failed(`it holds more than ${MAX_BYTES / 1024 / 1024} MiB; a plugin is code, put data elsewhere`)
      : undefined;
  }
}
