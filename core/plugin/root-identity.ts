import { lstat } from 'node:fs/promises';

/** How the root is found, against the look before: `vanished` only in the first look that misses it. */
export type Sighting = 'same' | 'returned' | 'replaced' | 'vanished' | 'missing';

/** Which directory has the root's name: another one may take its place, and a watcher goes with the one it was made for. */
export class RootIdentity {
  readonly #dir: string;
  #known: string | undefined;
  #isMissing = false;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Takes what is there now, if anything is, for the root. */
  async note(): Promise<void> {
    this.#known = await identityOf(this.#dir);
  }

  async look(): Promise<Sighting> {
    const identity = await identityOf(this.#dir);
    const [known, wasMissing] = [this.#known ?? identity, this.#isMissing];
    this.#isMissing = identity === undefined;
    if (identity === undefined) return wasMissing ? 'missing' : 'vanished';
    this.#known = identity;
    if (identity !== known) return 'replaced';
    return wasMissing ? 'returned' : 'same';
  }
}

async function identityOf(dir: string): Promise<string | undefined> {
  const found = await lstat(dir).catch(() => undefined);
  return found && `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}
