import { readdir } from 'node:fs/promises';
import { distance } from 'fastest-levenshtein';

const MOST_NAMES = 6;

/** An error of `readFile` as a model can use it; a denial passes through as it is. */
export async function explain(error: unknown, path: string): Promise<unknown> {
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'EISDIR') {
    const names = await namesIn(path);
    return new Error(
      names.length === 0
        ? `${path} is an empty folder.`
        : `${path} is a folder, not a file. It holds ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''}.`,
    );
  }
  if (code === 'EFBIG') return new Error(`${path} is larger than the 10 MB that can be read.`);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return error;
  const slash = path.replace(/\/+$/, '').lastIndexOf('/');
  const [folder, name] = [slash < 0 ? '.' : path.slice(0, slash), path.slice(slash + 1)];
  const names = await namesIn(folder);
  const near = names
    .map((other) => ({ other, apart: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, apart }) => apart <= Math.max(2, name.length / 3) || other.startsWith(name))
    .sort((one, two) => one.apart - two.apart)
    .map(({ other }) => other);
  const hint =
    near.length > 0
      ? ` Did you mean ${near.slice(0, 3).join(' or ')}?`
      : names.length > 0
        ? ` ${folder} holds ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}.`
        : '';
  return Object.assign(new Error(`There is no file ${path}.${hint}`), { code: 'ENOENT' });
}

/** Folders with a slash; none where the folder may not be seen. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  } catch {
    return [];
  }
}
