import { suggestNames } from '../call/suggest-names.ts';
import type { Config } from '../config/index.ts';
import { lockPathOf } from '../config/index.ts';
import { type Admission, openLock } from '../permissions/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { bundledPackages } from './bundled-packages.ts';
import { type InstalledPlugin, listInstalled } from './installed.ts';
import { done, misused, type Outcome } from './outcome.ts';
import { recordConsent } from './record-consent.ts';
import { Transaction } from './transaction.ts';
import { tryPlugins } from './try-plugins.ts';

/** An installed plugin of strangers, as it would run now. */
export interface Grantee {
  readonly installed: InstalledPlugin;
  readonly version: AnyVersion;
  readonly packages: readonly string[];
  readonly admission: Admission;
  readonly granted: PermissionRequest;
}

/** Finds an installed plugin by its name, which nothing else may have. */
export async function findInstalled(config: Config, id: string): Promise<Outcome<InstalledPlugin>> {
  const all = await listInstalled(config);
  const [plugin, another] = all.filter((each) => each.id === id);
  if (plugin === undefined) {
    const strangers = all.filter(({ source }) => source.trust === 'granted').map((each) => each.id);
    const [meant] = suggestNames(id, strangers);
    const hint =
      meant !== undefined
        ? `; did you mean "${meant}"?`
        : strangers.length === 0
          ? '; no directory of the config under trust "granted" holds a plugin'
          : `; there are ${strangers.slice(0, 20).join(', ')}`;
    return misused(`there is no plugin "${id}"${hint}`);
  }
  if (another !== undefined) return misused(`two directories claim the name "${id}"; take one away first`);
  if (plugin.source.trust === 'declared')
    return misused(`"${id}" is under trust "declared": what it asks for is granted already`);
  return done(plugin);
}

/** Loads an installed plugin as a stranger's and holds it against the lock. */
export async function readGrantee(config: Config, id: string): Promise<Outcome<Grantee>> {
  const found = await findInstalled(config, id);
  if (!found.ok) return found;
  const installed = found.value;
  const loaded = await tryPlugins([installed], config);
  if (!loaded.ok) return loaded;
  const [version] = loaded.value;
  if (version === undefined) throw new TypeError('one candidate gives one version');
  const { grants } = installed.source;
  return done({
    ...{ installed, version },
    packages: await bundledPackages(version),
    admission: await openLock(lockPathOf(config), { locale: config.locale }).admit(version),
    granted: (Object.hasOwn(grants, id) ? grants[id] : undefined) ?? {},
  });
}

/** Lets this version run, with these grants from now on; without any: with those that it has. */
export async function grantPlugin(
  config: Config,
  { installed, version }: Grantee,
  grants: PermissionRequest | undefined,
): Promise<Outcome<void>> {
  const transaction = new Transaction();
  const consent = { subject: version, sourceDir: installed.source.dir, ...(grants ? { grants } : {}) };
  const recorded = await recordConsent(config, [consent], transaction);
  if (!recorded.ok) await transaction.rollback();
  return recorded;
}
