import { lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../replace-file.ts';

const REPLACING = { mode: 0o644, durable: true } as const;

/** Changes on the disk that can be taken back, all or none. Its methods reject as node:fs does. */
export class Transaction {
  readonly #undo: (() => Promise<void>)[] = [];

  /** Makes a directory with those above it. */
  async makeDirectory(dir: string): Promise<void> {
    const first = await mkdir(dir, { recursive: true });
    if (first === undefined) return;
    this.#undo.push(async () => {
      // Only what is empty: somebody else may have put something there meanwhile.
      for (let each = dir; each.length >= first.length; each = path.dirname(each)) await rmdir(each);
    });
  }

  /** Makes a directory for the time of the transaction; {@link rollback} takes it away with all that is in it. */
  async makeTemporary(prefix: string): Promise<string> {
    const dir = await mkdtemp(prefix);
    this.#undo.push(() => rm(dir, { recursive: true, force: true }));
    return dir;
  }

  /** Renames; nothing may be at the new place. */
  async move(from: string, to: string): Promise<void> {
    const isTaken = await lstat(to).then(
      () => true,
      () => false,
    );
    if (isTaken) throw Object.assign(new Error(`${path.basename(to)} is there already`), { code: 'EEXIST' });
    await rename(from, to);
    this.#undo.push(() => rename(to, from));
  }

  /** Puts the whole new text in the place of the old one. A link stays one, and so does the file's mode. */
  async write(file: string, text: string): Promise<void> {
    const target = await realpath(file).catch(() => file);
    const before = await readFile(target).catch(() => undefined);
    await replaceFile(target, text, REPLACING);
    this.#undo.push(async () => {
      const now = await readFile(target, 'utf8').catch(() => undefined);
      // What somebody else wrote since is not ours to take back.
      if (now !== text) return;
      if (before === undefined) await rm(target);
      else await replaceFile(target, before, REPLACING);
    });
  }

  /** Takes back what was done, the last first. What can't be taken back does not keep the rest. */
  async rollback(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo().catch(() => undefined);
  }
}
