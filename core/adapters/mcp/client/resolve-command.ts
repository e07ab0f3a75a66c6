import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import path from 'node:path';

export type ResolvedCommand =
  | {
      readonly ok: true;
      /** Absolute. */
      readonly file: string;
      /** The least PATH with which the script finds its interpreter; undefined where none is needed. */
      readonly searchPath: string | undefined;
    }
  | { readonly ok: false; readonly message: string };

const SYSTEM_PATH = ['/usr/bin', '/bin'];

/**
 * Finds the program of a server in the host's PATH, so that the server itself needs none. A launcher such as `npx` is a
 * script that begins with `#!/usr/bin/env node`: it alone gets a PATH, of the directories that it can't do without.
 */
export async function resolveCommand(
  command: string,
  cwd: string,
  searchPath: string,
): Promise<ResolvedCommand> {
  const directories = searchPath.split(path.delimiter).filter((directory) => directory !== '');
  const file = /[/\\]/.test(command)
    ? await firstRunnable([path.resolve(cwd, command)])
    : await findIn(directories, command);
  if (file === undefined) {
    const place = /[/\\]/.test(command) ? '' : ' in the PATH of the host';
    return { ok: false, message: `the command ${JSON.stringify(command)} was not found${place}` };
  }
  const interpreter = await interpreterOf(file);
  if (interpreter === undefined) return { ok: true, file, searchPath: undefined };
  const found = await findIn(directories, interpreter);
  const needed = [path.dirname(file), ...(found === undefined ? [] : [path.dirname(found)]), ...SYSTEM_PATH];
  return { ok: true, file, searchPath: [...new Set(needed)].join(path.delimiter) };
}

function findIn(directories: readonly string[], name: string): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', '.com', ''] : [''];
  const candidates = directories.flatMap((directory) =>
    endings.map((ending) => path.resolve(directory, name + ending)),
  );
  return firstRunnable(candidates);
}

async function firstRunnable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    try {
      await access(file, constants.X_OK);
      if ((await stat(file)).isFile()) return file;
    } catch {
      // Not there, or not for us: the next one.
    }
  }
  return undefined;
}

const LONGEST_FIRST_LINE = 256;

/** What `#!/usr/bin/env NAME` looks for. */
async function interpreterOf(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(LONGEST_FIRST_LINE);
    const { bytesRead } = await handle.read(buffer, 0, LONGEST_FIRST_LINE, 0);
    const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
    return /^#!\s*\S*\/env(?:\s+-\S+|\s+\w+=\S*)*\s+(\S+)/.exec(line)?.[1];
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
