import path from 'node:path';
import { READ_MORE } from '../call/result/read-more.ts';
import { nameOf } from '../catalog/offer.ts';
import { SEARCH_TOOL_NAME } from '../catalog/search.ts';
import type { Config } from '../config/index.ts';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { type Candidate, directoryName } from './find-plugins.ts';
import { type InstalledPlugin, listInstalled } from './installed.ts';
import { done, failed, type Outcome } from './outcome.ts';
import type { Target } from './target.ts';

export interface Place {
  /** Where it will lie, absolute. */
  readonly dir: string;
  /** The entry of `plugins` that it will belong to, absolute. */
  readonly sourceDir: string;
  /** The same plugin as it is now. */
  readonly replaces?: InstalledPlugin;
}

export interface PlaceOptions {
  readonly config: Config;
  readonly target: Target;
  /** Was the directory named on the command line? */
  readonly isTargetNamed: boolean;
}

/** Finds a place for each plugin, in the order given; a name that something else has is never taken. */
export async function placePlugins(
  plugins: readonly { readonly version: AnyVersion; readonly candidate: Candidate }[],
  options: PlaceOptions,
): Promise<Outcome<readonly Place[]>> {
  const installed = await listInstalled(options.config);
  const places: Place[] = [];
  const ids = new Set<string>();
  for (const { version, candidate } of plugins) {
    const id = version.manifest.name;
    if (ids.has(id)) return failed(`two plugins in it are called "${id}"`);
    ids.add(id);
    const place = placeOf(id, candidate, installed, options);
    if (!place.ok) return place;
    if (places.some(({ dir }) => dir === place.value.dir))
      return failed(
        `two plugins in it would lie in ${shown(place.value.dir, options)}; give them other names`,
      );
    places.push(place.value);
  }
  return done(places);
}

function placeOf(
  id: string,
  { kind, defaultName }: Candidate,
  installed: readonly InstalledPlugin[],
  options: PlaceOptions,
): Outcome<Place> {
  const { config, target, isTargetNamed } = options;
  if (id === READ_MORE || id === SEARCH_TOOL_NAME)
    return failed(`the name "${id}" is taken by a built-in tool`);
  const server = config.mcpServers.find(({ name }) => id.startsWith(`${name}.`));
  if (server !== undefined)
    return failed(`the name "${id}" is one of the MCP server "${server.name}" of the config`);
  const [known, another] = installed.filter((plugin) => plugin.id === id);
  if (another !== undefined)
    return failed(`two directories claim the name "${id}" already; take one away first`);
  const name = nameOf(kind, id);
  const folder = directoryName(kind, id);
  if (name === defaultName && folder !== name)
    return failed(`"${name}" is no name that a directory can have; set "name" in its description file`);
  if (known === undefined) return done({ dir: path.join(target.dir, folder), sourceDir: target.dir });
  const where = shown(known.dir, options);
  if (known.source.trust !== 'granted')
    return failed(`the name "${id}" is taken by ${where}, a plugin of your own (trust "declared")`);
  if (isTargetNamed && known.source.dir !== target.dir)
    return failed(`"${id}" is installed in ${where} already; leave --dir out to update it there`);
  // A plugin without a name of its own is called by its place.
  const dir = known.defaultName === name ? known.dir : path.join(known.source.dir, folder);
  return done({ dir, sourceDir: known.source.dir, replaces: known });
}

function shown(dir: string, { config }: PlaceOptions): string {
  return path.relative(config.baseDir, dir);
}
