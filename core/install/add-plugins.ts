import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Config, lockPathOf } from '../config/index.ts';
import { type Admission, openLock } from '../permissions/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { PROMPT_FILE } from '../prompts/read-prompt.ts';
import { bundledPackages } from './bundled-packages.ts';
import { Allowance } from './caps.ts';
import { copyPackages } from './copy-directory.ts';
import { provideDependencies } from './dependencies.ts';
import { type Fetched, fetchSource } from './fetch-source.ts';
import { type Candidate, findPlugins } from './find-plugins.ts';
import { overlap, realPlace } from './installed.ts';
import { done, failed, misused, type Outcome, type Refusal, reasonOf } from './outcome.ts';
import { readPackageJson } from './package-json.ts';
import { type Place, placePlugins } from './place-plugins.ts';
import { recordConsent } from './record-consent.ts';
import { readSource, type Source } from './source.ts';
import { chooseTarget, type Target } from './target.ts';
import { Transaction } from './transaction.ts';
import { tryPlugins } from './try-plugins.ts';

export interface AddRequest {
  readonly source: string;
  readonly config: Config;
  /** The plugin directory to add to, relative to `cwd`. */
  readonly dir?: string;
  readonly cwd: string;
  /** Progress, for people. */
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** A plugin that loads and that could be added. */
export interface Newcomer extends Place {
  readonly version: AnyVersion;
  readonly fetched: Fetched;
  /** `name@version` of the packages that it bundles. */
  readonly packages: readonly string[];
  /** What the lock says of this version now. */
  readonly admission: Admission;
  /** What it is granted now; empty for a new one. */
  readonly granted: PermissionRequest;
  readonly stagedDir: string;
}

/** Plugins that wait for consent, in a directory that no host reads. Ends with `commit` or `discard`. */
export class Addition {
  readonly newcomers: readonly Newcomer[];
  readonly target: Target;
  readonly #staging: Staging;
  readonly #config: Config;

  constructor(newcomers: readonly Newcomer[], target: Target, staging: Staging, config: Config) {
    this.newcomers = newcomers;
    this.target = target;
    this.#staging = staging;
    this.#config = config;
  }

  /** Moves them to their places, writes `grants` and records the consent: all of it, or nothing. */
  async commit(grants: ReadonlyMap<string, PermissionRequest>): Promise<Outcome<void>> {
    const { transaction, dir: staging } = this.#staging;
    try {
      for (const [index, { stagedDir, dir, replaces }] of this.newcomers.entries()) {
        if (replaces !== undefined) await transaction.move(replaces.dir, path.join(staging, `old-${index}`));
        await transaction.move(stagedDir, dir);
      }
    } catch (error) {
      await this.discard();
      return failed(`it could not be put in its place (${reasonOf(error)}); nothing was changed`);
    }
    const consents = this.newcomers.map(({ version, sourceDir }) => {
      const granted = grants.get(version.manifest.name);
      return { subject: version, sourceDir, ...(granted === undefined ? {} : { grants: granted }) };
    });
    const recorded = await recordConsent(this.#config, consents, transaction);
    if (!recorded.ok) await this.discard();
    else await rm(staging, { recursive: true, force: true });
    return recorded;
  }

  /** Leaves everything as it was. */
  discard(): Promise<void> {
    return this.#staging.transaction.rollback();
  }
}

interface Staging {
  readonly dir: string;
  readonly transaction: Transaction;
}

/** Fetches a source, finds the plugins in it and tries each. Nothing is changed but a staging directory. */
export async function prepareAddition(request: AddRequest): Promise<Outcome<Addition>> {
  const source = await readSource(request.source, request.cwd);
  if (!source.ok) return source;
  const target = await chooseTarget(request.config, request.dir);
  if (!target.ok) return target;
  const { dir } = target.value;
  if (source.value.kind === 'directory' && overlap(source.value.dir, await realPlace(dir)))
    return misused(`${request.source} and the directory that it would be added to lie in each other`);
  const staging = await openStaging(dir);
  if (!staging.ok) return staging;
  let isPrepared = false;
  try {
    const prepared = await prepare(request, source.value, target.value, staging.value);
    isPrepared = prepared.ok;
    return prepared;
  } finally {
    if (!isPrepared) await staging.value.transaction.rollback();
  }
}

async function prepare(
  { config, cwd, say, signal, dir }: AddRequest,
  source: Source,
  target: Target,
  staging: Staging,
): Promise<Outcome<Addition>> {
  const ending = signal === undefined ? {} : { signal };
  const fetched = await fetchSource(source, { staging: staging.dir, cwd, say, ...ending });
  if (!fetched.ok) return fetched;
  const found = await findPlugins(fetched.value.root, fetched.value.nameHint);
  if (!found.ok) return found;
  const refusal = await providePackages(fetched.value.root, found.value, say, signal);
  if (refusal !== undefined) return refusal;
  const staged = await separate(found.value, staging.dir);
  if (!staged.ok) return staged;
  say(`loading ${staged.value.length === 1 ? 'it' : `${staged.value.length} plugins`} behind the wall`);
  const loaded = await tryPlugins(staged.value, config);
  if (!loaded.ok) return loaded;
  const pairs = loaded.value.flatMap((version, index) => {
    const candidate = staged.value[index];
    return candidate === undefined ? [] : [{ version, candidate }];
  });
  const places = await placePlugins(pairs, { config, target, isTargetNamed: dir !== undefined });
  if (!places.ok) return places;
  if (signal?.aborted) return failed('interrupted; nothing was changed');
  const newcomers = places.value.flatMap((place, index) => {
    const pair = pairs[index];
    return pair === undefined ? [] : [toNewcomer(pair, place, fetched.value, config)];
  });
  return done(new Addition(await Promise.all(newcomers), target, staging, config));
}

async function openStaging(target: string): Promise<Outcome<Staging>> {
  const transaction = new Transaction();
  try {
    await transaction.makeDirectory(target);
    // Beside its later place, so that moving is renaming; no host looks into a dot directory.
    return done({ transaction, dir: await transaction.makeTemporary(path.join(target, '.adding-')) });
  } catch (error) {
    await transaction.rollback();
    return failed(`${path.relative(process.cwd(), target)} can't be written to (${reasonOf(error)})`);
  }
}

/** A stranger's plugin brings its own packages: those of the whole go into each of its plugins. */
async function providePackages(
  root: string,
  candidates: readonly Candidate[],
  say: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<Refusal | undefined> {
  const provided = await provideDependencies(root, say, signal);
  if (!provided.ok) return provided;
  const shared = path.join(root, 'node_modules');
  const isShared = await exists(shared);
  const allowance = new Allowance();
  for (const { dir, kind } of candidates) {
    if (dir === root || kind === 'prompt') continue;
    if ((await readPackageJson(dir)) !== undefined) {
      const own = await provideDependencies(dir, say, signal);
      if (!own.ok) return own;
    }
    const packages = path.join(dir, 'node_modules');
    if (!isShared || (await exists(packages))) continue;
    const refusal = await copyPackages(shared, packages, { allowance, ...(signal ? { signal } : {}) });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Gives each plugin a directory that holds nothing else. */
async function separate(
  candidates: readonly Candidate[],
  staging: string,
): Promise<Outcome<readonly Candidate[]>> {
  const ready = path.join(staging, 'ready');
  const numbered = candidates.map((candidate, index) => ({
    candidate,
    to: path.join(ready, String(index)),
  }));
  // A prompt is one file in a folder that may hold other plugins: before those are moved away.
  const prompts = numbered.filter(({ candidate }) => candidate.kind === 'prompt');
  const others = numbered.filter(({ candidate }) => candidate.kind !== 'prompt');
  try {
    await mkdir(ready);
    for (const { candidate, to } of prompts) {
      await mkdir(to);
      await copyFile(path.join(candidate.dir, PROMPT_FILE), path.join(to, PROMPT_FILE));
    }
    for (const { candidate, to } of others) await rename(candidate.dir, to);
  } catch (error) {
    return failed(`it could not be made ready (${reasonOf(error)})`);
  }
  return done(numbered.map(({ candidate, to }) => ({ ...candidate, dir: to })));
}

async function toNewcomer(
  { version, candidate }: { readonly version: AnyVersion; readonly candidate: Candidate },
  place: Place,
  fetched: Fetched,
  config: Config,
): Promise<Newcomer> {
  const id = version.manifest.name;
  const grants = place.replaces?.source.grants ?? {};
  const lock = openLock(lockPathOf(config), { locale: config.locale });
  return {
    ...place,
    ...{ version, fetched, stagedDir: candidate.dir },
    packages: await bundledPackages(version),
    admission: await lock.admit(version),
    granted: (Object.hasOwn(grants, id) ? grants[id] : undefined) ?? {},
  };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
