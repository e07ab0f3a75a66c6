import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Authority } from '../authority.ts';
import { Catalog, type CatalogEntry } from '../catalog/catalog.ts';
import { idOf } from '../catalog/offer.ts';
import type { Config } from '../config/index.ts';
import { formatProblem } from '../plugin/problem.ts';
import { PluginSources } from '../plugin-sources.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { type Diagnosis, failed, warn } from './finding.ts';

/** A host takes the time that its plugins take; a look at it has to end. */
const LOAD_TIMEOUT_MS = 30_000;
const MOST_TOLD = 20;

/**
 * Does each plugin load, and may it serve? Loaded as a host loads them at its start, which bounds what it costs: of a
 * large folder only what is listed is read.
 */
export async function checkPlugins(config: Config): Promise<Diagnosis[]> {
  const entries = await loadAll(config);
  if (entries === undefined)
    return [
      warn(
        'plugins',
        `the plugins have not loaded within ${LOAD_TIMEOUT_MS / 1_000} s`,
        'npx glovebox check tells what each has wrong',
      ),
    ];
  const troubled = entries.filter(({ state }) => state !== 'ready');
  const told = troubled.slice(0, MOST_TOLD).map(tell);
  const left = troubled.length - told.length;
  if (left > 0) told.push(warn('plugins', `${left} more are broken or held`, 'npx glovebox list shows all'));
  return told;
}

/** Undefined: it took too long. */
async function loadAll(config: Config): Promise<readonly CatalogEntry[] | undefined> {
  const sandbox = await createSandbox(config.sandbox);
  const catalog = new Catalog();
  const authority = new Authority({
    config,
    callTool: () => Promise.reject(new Error('nothing is called here')),
    ownNameOf: (name) => name,
  });
  const sources = new PluginSources({ config, catalog, sandbox, authority });
  const ending = new AbortController();
  try {
    const isLoaded = await Promise.race([
      sources.load().then(() => true),
      wait(LOAD_TIMEOUT_MS, false, { signal: ending.signal }),
    ]);
    return isLoaded ? catalog.list() : undefined;
  } finally {
    ending.abort();
    await sandbox.close();
    await sources.close();
    await authority.close();
  }
}

function tell({ name, kind, state, dir, problems }: CatalogEntry): Diagnosis {
  const id = idOf(kind, name);
  const shown = dir === undefined ? id : `${id} (${path.relative(process.cwd(), dir) || '.'})`;
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  if (state === 'held') {
    // Behind the first line is what has changed, which `grant` shows.
    const [reason = ''] = (first?.message ?? '').split('\n');
    const isForConsent = reason.includes('glovebox grant');
    const fix = isForConsent ? `npx glovebox grant ${id}` : 'mend the lock as its own finding says';
    return warn('plugins', `${shown} is held: ${reason}`, fix);
  }
  const problem = first === undefined ? 'it does not load' : formatProblem(first);
  return failed(
    'plugins',
    `${shown} is broken: ${problem}${more}`,
    'correct it; npx glovebox check tells more',
  );
}
