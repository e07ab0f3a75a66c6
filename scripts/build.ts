/** Makes `dist/`, which is what the package holds: JavaScript, types, and the worker as one file. */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleWorker } from '../core/sandbox/worker-bundle.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
/** Made aside and put in place whole: processes may be running from the one that is there. */
const next = path.join(root, `.dist-${process.pid}`);
const old = `${next}-old`;

await mkdir(next, { recursive: true });
try {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', next], {
    cwd: root,
  });
  await mkdir(path.join(next, 'sandbox'), { recursive: true });
  for (const entry of ['worker', 'inspect-worker'] as const)
    await writeFile(path.join(next, 'sandbox', `${entry}.cjs`), await bundleWorker(entry));
  await putInPlace(3);
} finally {
  for (const dir of [next, old]) await rm(dir, { recursive: true, force: true });
}

async function putInPlace(tries: number): Promise<void> {
  await rename(dist, old).catch(() => undefined);
  try {
    await rename(next, dist);
  } catch (error) {
    // Another build was faster.
    if (tries <= 1) throw error;
    await rm(old, { recursive: true, force: true });
    await putInPlace(tries - 1);
  }
}
