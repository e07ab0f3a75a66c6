import path from 'node:path';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { readPackageJson } from './package-json.ts';

const MARK = `${path.sep}node_modules${path.sep}`;

/** The packages whose code went into a plugin, `name@version`; by their own word. */
export async function bundledPackages({ outside }: AnyVersion): Promise<readonly string[]> {
  const homes = new Map<string, string>();
  for (const file of outside) {
    const at = file.lastIndexOf(MARK);
    if (at < 0) continue;
    const [first = '', second = ''] = file.slice(at + MARK.length).split(path.sep);
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    homes.set(path.join(file.slice(0, at), 'node_modules', name), name);
  }
  const named = await Promise.all(
    [...homes].map(async ([home, name]) => {
      const version = (await readPackageJson(home))?.version;
      return version === undefined ? name : `${name}@${version}`;
    }),
  );
  return [...new Set(named)].sort();
}
