/** Makes `dist/`, which is what the package holds: JavaScript, types, and the worker as one file. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleWorker } from '../core/sandbox/worker-bundle.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

await rm(dist, { recursive: true, force: true });
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root });
await mkdir(path.join(dist, 'sandbox'), { recursive: true });
for (const entry of ['worker', 'inspect-worker'] as const)
  await writeFile(path.join(dist, 'sandbox', `${entry}.cjs`), await bundleWorker(entry));
