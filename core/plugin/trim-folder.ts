import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Named by a hash of what is in them; and what a crash left of the writing of one. */
const OURS = /^[0-9a-f]{64}\.json(\.[0-9a-f-]+\.tmp)?$/;

/** In a folder of files by their hashes, versions pile up: past `most` all but the newest half go. */
export async function trimFolder(dir: string, most: number): Promise<void> {
  // A link may lead to a folder that is none of ours.
  if (!(await lstat(dir)).isDirectory()) return;
  const names = (await readdir(dir)).filter((name) => OURS.test(name));
  if (names.length <= most) return;
  const dated = await Promise.all(
    names.map(async (name) => {
      const file = path.join(dir, name);
      return { file, at: (await lstat(file).catch(() => undefined))?.mtimeMs ?? 0 };
    }),
  );
  dated.sort((one, other) => other.at - one.at);
  await Promise.all(dated.slice(most / 2).map(({ file }) => rm(file, { force: true })));
}
