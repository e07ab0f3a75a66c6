import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryDirectory extends AsyncDisposable {
  readonly dir: string;
}

/** A directory of its own under the system's temporary one, gone at the end of the block. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-plugin-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

export type Files = Readonly<Record<string, string>>;

/** Writes files by relative path, with the folders that they need. */
export async function writeFiles(dir: string, files: Files): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return dir;
}

export const SCHEMA = JSON.stringify({ description: 'Does a thing.', parameters: { type: 'object' } });
