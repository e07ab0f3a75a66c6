import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceFile } from '../replace-file.ts';
import { guestVendor } from './guest-vendor.ts';
import { lazyModules } from './lazy-modules.ts';

const here = fileURLToPath(import.meta.url);
const root = path.resolve(path.dirname(here), '..', '..');

/** What every context is given before plugin code, as one script that leaves its exports in `__guest`. */
export function bundleGuest(): Promise<string> {
  return bundle(path.join(root, 'sandbox/guest/main.ts'), {
    format: 'iife',
    globalName: '__guest',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    minify: true,
    keepNames: false,
    plugins: [lazyModules(), guestVendor()],
    banner: { js: '"use strict";' },
  });
}

/** `worker` runs plugins; `inspect-worker` runs one plugin that an inspector is attached to. */
export type WorkerEntry = 'worker' | 'inspect-worker';

/** Bundles a worker with the guest inside to one CommonJS file. */
export async function bundleWorker(entry: WorkerEntry = 'worker'): Promise<string> {
  return bundle(path.join(root, `sandbox/${entry}.ts`), {
    format: 'cjs',
    platform: 'node',
    define: { GUEST_SOURCE: JSON.stringify(await bundleGuest()) },
  });
}

async function bundle(entry: string, options: Parameters<typeof build>[0]): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    target: 'node24',
    logLevel: 'silent',
    absWorkingDir: root,
    ...options,
  });
  const [file] = built.outputFiles ?? [];
  if (file === undefined) throw new Error(`esbuild wrote nothing for ${path.basename(entry)}`);
  return file.text;
}

const located = new Map<WorkerEntry, Promise<string>>();

/**
 * The worker's file: built beforehand in a package; in a checkout built when it is first asked for, under a name that
 * holds the hash of all that goes into it, so that it can't be stale.
 */
export function locateWorker(entry: WorkerEntry = 'worker'): Promise<string> {
  const known = located.get(entry);
  if (known !== undefined) return known;
  const file = here.endsWith('.ts')
    ? buildFromSource(entry)
    : Promise.resolve(path.join(root, `sandbox/${entry}.cjs`));
  located.set(entry, file);
  return file;
}

async function buildFromSource(entry: WorkerEntry): Promise<string> {
  const directory = path.join(root, 'node_modules/.cache/glovebox');
  const hash = await hashOfSources();
  const file = path.join(directory, `${entry}-${hash}.cjs`);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) return file;
  const code = await bundleWorker(entry);
  // Somebody saved meanwhile: this code may be of neither state.
  if ((await hashOfSources()) !== hash) return buildFromSource(entry);
  await mkdir(directory, { recursive: true });
  await replaceFile(file, code);
  return file;
}

/** All that a bundle is made of: the sources, what bundles them, and the packages as npm has installed them. */
async function hashOfSources(): Promise<string> {
  const entries = await readdir(path.join(root, 'sandbox'), { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((each) => each.isFile())
    .map((each) => path.join(each.parentPath, each.name));
  const bundlers = BUNDLERS.map((name) => path.join(root, 'core/sandbox', name));
  const packages = path.join(root, 'node_modules/.package-lock.json');
  const hash = createHash('sha256');
  const add = (text: Buffer) => hash.update(`${text.length}:`).update(text);
  // One after the other: a process may have few file descriptors.
  for (const file of [...sources.sort(), ...bundlers]) add(await readFile(file));
  // Other package managers don't write it.
  add(await readFile(packages).catch(() => Buffer.alloc(0)));
  return hash.digest('hex').slice(0, 16);
}

const BUNDLERS = ['worker-bundle.ts', 'lazy-modules.ts', 'guest-vendor.ts'];
