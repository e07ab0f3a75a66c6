import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { kindAt } from '../../plugin/code-only.ts';
import { isClosed } from '../../plugin/markers.ts';

export type Written =
  | { readonly ok: true; readonly dir: string }
  | { readonly ok: false; readonly message: string };

/**
 * Writes a plugin's directory, all of it at once, so that whoever follows the folder sees it whole. Nothing that is
 * there is ever touched.
 *
 * @param root absolute folder of plugins; made if it isn't there.
 */
export async function writePlugin(
  root: string,
  parts: readonly string[],
  files: ReadonlyMap<string, string>,
): Promise<Written> {
  const dir = path.join(root, ...parts);
  const shown = path.relative(process.cwd(), dir);
  const above = await pluginAbove(root, parts);
  if (above !== undefined)
    return {
      ok: false,
      message: `${path.relative(process.cwd(), above)} is a plugin itself; nothing in it can be one: choose another group`,
    };
  const there = await readdir(dir).catch((error: NodeJS.ErrnoException) => error.code);
  if (Array.isArray(there) ? there.length > 0 : there !== 'ENOENT')
    return {
      ok: false,
      message: `${shown} is there already, and nothing is overwritten: choose another name, or move it away`,
    };
  const temporary = path.join(path.dirname(dir), `.new-${randomUUID()}`);
  try {
    for (const [name, text] of files) {
      const file = path.join(temporary, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
    }
    // Fails where somebody has put something there meanwhile.
    await rename(temporary, dir);
    return { ok: true, dir };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs rejects with these
    return { ok: false, message: `${shown} can't be written (${code ?? 'unknown reason'})` };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function pluginAbove(root: string, parts: readonly string[]): Promise<string | undefined> {
  for (let length = 1; length < parts.length; length += 1) {
    const dir = path.join(root, ...parts.slice(0, length));
    const kind = await kindAt(dir, await readdir(dir).catch(() => []));
    if (kind !== undefined && isClosed(kind)) return dir;
  }
  return undefined;
}
