import { lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import parseSpec from 'npm-package-arg';
import { Allowance } from './caps.ts';
import { installDependencies } from './npm.ts';
import { done, failed, type Outcome, type Refusal, reasonOf } from './outcome.ts';
import { type PackageFacts, readPackageJson } from './package-json.ts';

const FILE = 'package.json';

/**
 * Gives a directory the packages that its package.json depends on, unless it brings them all. None of their scripts
 * runs, and all come from the registry: another source could be a directory of this machine, or a command.
 *
 * @returns whether anything was installed.
 */
export async function provideDependencies(
  dir: string,
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<Outcome<boolean>> {
  const facts = await readPackageJson(dir);
  if (facts === undefined || !(await lacksPackages(dir, facts))) return done(false);
  const elsewhere = findElsewhere(facts);
  if (elsewhere !== undefined) return failed(elsewhere);
  say(`installing the packages it depends on, without running any of their scripts`);
  const own = await readFile(path.join(dir, FILE));
  try {
    await writeFile(path.join(dir, FILE), JSON.stringify(bareManifest(facts)));
    const installed = await installDependencies(dir, signal);
    if (!installed.ok) return installed;
    const refusal = await tidy(path.join(dir, 'node_modules'), '', new Allowance());
    return refusal ?? done(true);
  } catch (error) {
    return failed(`its packages could not be installed (${reasonOf(error)})`);
  } finally {
    await writeFile(path.join(dir, FILE), own);
  }
}

/** Does what lies in node_modules not cover what package.json names? */
export async function lacksPackages(dir: string, { dependencies }: PackageFacts): Promise<boolean> {
  for (const name of Object.keys(dependencies)) {
    const isThere = await stat(path.join(dir, 'node_modules', name, FILE)).then(
      (info) => info.isFile(),
      () => false,
    );
    if (!isThere) return true;
  }
  return false;
}

/** The stranger's own package.json could configure npm: only what it depends on is handed over. */
function bareManifest({ dependencies, optional, peers, peersMeta }: PackageFacts) {
  return {
    name: 'glovebox-staging',
    version: '0.0.0',
    private: true,
    dependencies,
    optionalDependencies: optional,
    peerDependencies: peers,
    peerDependenciesMeta: peersMeta,
  };
}

function findElsewhere({ dependencies, optional, peers }: PackageFacts): string | undefined {
  const all = [dependencies, optional, peers].flatMap((group) => Object.entries(group));
  const found = all.find(([name, spec]) => !isFromRegistry(name, spec));
  if (found === undefined) return undefined;
  return `its package.json takes "${found[0]}" from "${found[1].slice(0, 200)}"; only versions from the registry are taken`;
}

function isFromRegistry(name: string, spec: string): boolean {
  try {
    const parsed = parseSpec.resolve(name, spec);
    return parsed.registry === true && parsed.type !== 'alias'
      ? true
      : parsed.type === 'alias' && isAliasOfRegistry(parsed);
  } catch {
    return false;
  }
}

function isAliasOfRegistry(parsed: object): boolean {
  const { subSpec } = parsed as { subSpec?: { registry?: boolean } }; // only aliases have it, by npm-package-arg's contract
  return subSpec?.registry === true;
}

/** Takes away what npm keeps for itself; a link means that a package came from elsewhere after all. */
async function tidy(folder: string, prefix: string, allowance: Allowance): Promise<Refusal | undefined> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = path.join(folder, name);
    const shown = `${prefix}${name}`;
    if (name === '.bin' || name === '.package-lock.json' || name === '.cache') {
      await rm(file, { recursive: true, force: true });
      continue;
    }
    const info = await lstat(file);
    const refusal =
      allowance.takeEntry(shown) ??
      (info.isDirectory()
        ? await tidy(file, `${shown}/`, allowance)
        : info.isFile()
          ? allowance.takeBytes(info.size)
          : failed(`its package ${shown} is a link; only versions from the registry are taken`));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
