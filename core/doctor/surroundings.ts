import { constants } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { watch } from 'chokidar';
import { type Config, type ConfigResult, dataPathOf, lockPathOf } from '../config/index.ts';
import { openLock } from '../permissions/index.ts';
import { discover, isSkipped } from '../plugin/discover.ts';
import { type Diagnosis, failed, fine, warn } from './finding.ts';

/** All problems of the config, one by one. */
export function checkConfig(read: ConfigResult): Diagnosis[] {
  const name = path.basename(read.ok ? (read.config.file ?? '') : (read.file ?? ''));
  if (read.ok)
    return [
      fine('config', name === '' ? 'there is no config file; the defaults are in force' : `${name} is right`),
    ];
  return read.problems.map(({ path: where, message, allowed, suggestion, line, column }) => {
    const place = line === undefined ? name : `${name}:${line}:${column}`;
    const known = allowed === undefined ? 'correct it there' : `known here: ${allowed.join(', ')}`;
    return failed(
      'config',
      `${place}: ${`${where} ${message}`.trim()}`,
      suggestion === undefined ? known : `write "${suggestion}"`,
    );
  });
}

const EVENT_TIMEOUT_MS = 5_000;

/** Does a saved file give an event? Not on some network and container file systems. */
export async function checkWatching(): Promise<Diagnosis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-doctor-'));
  const watcher = watch(dir, { ignoreInitial: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const seen = new Promise<string>((resolve) => {
      watcher.on('all', () => resolve('seen'));
      watcher.on('error', (error) => resolve(error instanceof Error ? error.message : 'unknown reason'));
      timer = setTimeout(() => resolve('no event came'), EVENT_TIMEOUT_MS);
    });
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.once('error', () => resolve());
    });
    await writeFile(path.join(dir, 'file'), 'x');
    const outcome = await seen;
    return outcome === 'seen'
      ? fine('watch', 'changes of files are seen')
      : warn(
          'watch',
          `changes of files are not seen (${outcome}): plugins are looked at every 2 s instead`,
          'raise fs.inotify.max_user_watches and max_user_instances (sysctl)',
        );
  } finally {
    clearTimeout(timer);
    await watcher.close();
    await rm(dir, { recursive: true, force: true });
  }
}

const INOTIFY = '/proc/sys/fs/inotify';
const FEW_INSTANCES = 64;

/** Linux gives each user so many watched folders; other systems have no such limit. */
export async function checkWatchLimits(config: Config | undefined): Promise<Diagnosis[]> {
  const [watches, instances] = await Promise.all(
    ['max_user_watches', 'max_user_instances'].map(async (name) =>
      Number(await readFile(path.join(INOTIFY, name), 'utf8').catch(() => 'NaN')),
    ),
  );
  if (watches === undefined || instances === undefined || Number.isNaN(watches) || Number.isNaN(instances))
    return [];
  const folders = (
    await Promise.all((config?.plugins ?? []).map(({ dir }) => countEntries(dir, MAX_COUNTED)))
  ).reduce((sum, count) => sum + count, 0);
  const text = `${watches} watches and ${instances} instances a user (inotify); the plugins need about ${folders}`;
  if (folders * 2 > watches)
    return [
      warn('watch-limits', text, `sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}`),
    ];
  if (instances < FEW_INSTANCES)
    return [warn('watch-limits', text, 'sudo sysctl fs.inotify.max_user_instances=512')];
  return [fine('watch-limits', text)];
}

const MAX_COUNTED = 200_000;

async function countEntries(dir: string, most: number): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  let count = 1;
  for (const entry of entries) {
    if (isSkipped(entry.name) || count >= most) continue;
    count += entry.isDirectory() ? await countEntries(path.join(dir, entry.name), most - count) : 1;
  }
  return count;
}

/** Can what must be read be read, and what must be written be written? */
export async function checkDirectories(config: Config): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const { dir, trust } of config.plugins) {
    const shown = path.relative(process.cwd(), dir) || '.';
    const info = await stat(dir).catch(() => undefined);
    if (info?.isDirectory() !== true) {
      found.push(warn('plugins', `there is no directory ${shown}`, `mkdir ${shown}, or correct "plugins"`));
      continue;
    }
    const isReadable = await may(dir, constants.R_OK | constants.X_OK);
    const { found: plugins, problems } = await discover(dir);
    if (!isReadable) found.push(failed('plugins', `${shown} can not be read`, `chmod u+rx ${shown}`));
    else {
      const isDeferred = trust === 'declared' && plugins.length > config.deferAbove;
      const note = isDeferred ? ', loaded at their first call; npx glovebox check tries them now' : '';
      found.push(fine('plugins', `${shown}: ${plugins.length} under trust "${trust}"${note}`));
    }
    for (const problem of problems)
      found.push(warn('plugins', problem.message, `look at ${path.relative(process.cwd(), problem.dir)}`));
    for (const plugin of plugins)
      if (trust === 'declared' && !(await may(plugin.dir, constants.W_OK)))
        found.push(
          warn(
            'plugins',
            `schema.d.ts can not be written into ${path.relative(process.cwd(), plugin.dir)}`,
            'make it writable, or ship schema.d.ts with it',
          ),
        );
  }
  found.push(await checkWritable('data', dataPathOf(config)), await checkWritable('temporary', tmpdir()));
  return found;
}

async function checkWritable(check: string, dir: string): Promise<Diagnosis> {
  const shown = path.relative(process.cwd(), dir);
  const name = shown.startsWith('..') ? dir : shown || '.';
  for (let folder = dir; ; folder = path.dirname(folder)) {
    const info = await stat(folder).catch(() => undefined);
    if (info === undefined && path.dirname(folder) !== folder) continue;
    if (info !== undefined && !info.isDirectory())
      return failed(check, `${name} is no directory`, `move ${folder} away`);
    return (await may(folder, constants.W_OK))
      ? fine(check, `${name} can be written`)
      : failed(check, `${name} can not be written`, `make ${folder} writable for this user`);
  }
}

async function may(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

/** Is the lock whole? */
export async function checkLock(config: Config): Promise<Diagnosis[]> {
  const file = lockPathOf(config);
  const hasStrangers = config.plugins.some(({ trust }) => trust === 'granted');
  const isThere = await may(file, constants.F_OK);
  if (!isThere && !hasStrangers) return [];
  const name = path.relative(process.cwd(), file);
  if (!isThere)
    return [
      warn(
        'lock',
        `${name} is not there: no plugin under trust "granted" is admitted`,
        'look at each, then: glovebox grant NAME',
      ),
    ];
  const lock = openLock(file);
  const admission = await lock.admit(NOBODY);
  if (admission.kind === 'held' && admission.reason === 'damaged')
    return [
      failed('lock', admission.text, `restore ${name} from your repository, or delete it and consent again`),
    ];
  return [fine('lock', `${name} is whole`)];
}

/** Asks for what nobody has consented to, to see whether the lock can be read. */
const NOBODY: Parameters<ReturnType<typeof openLock>['admit']>[0] = {
  manifest: {
    ...{ name: ' ', description: '', parameters: {}, examples: [], annotations: {} },
    ...{ permissions: {}, limits: {}, state: 'fresh', tags: [] },
  },
  digests: { code: '', schema: '' },
};
