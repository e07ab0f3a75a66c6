import { mkdir, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { Allowance } from './caps.ts';
import { copyDirectory } from './copy-directory.ts';
import { lacksPackages } from './dependencies.ts';
import { extractTarball } from './extract-tarball.ts';
import { packPackage } from './npm.ts';
import { done, failed, type Outcome } from './outcome.ts';
import { type PackageFacts, readPackageJson } from './package-json.ts';
import type { Source } from './source.ts';

export interface Fetched {
  /** A copy of its own, absolute: nobody else writes to it. */
  readonly root: string;
  /** What a plugin without a name is called, if it is the only one. */
  readonly nameHint: string;
  /** For people: `the npm package weather@1.2.0`. */
  readonly from: string;
  readonly facts: PackageFacts | undefined;
}

export interface FetchOptions {
  /** An empty directory to work in. */
  readonly staging: string;
  /** Where npm reads its `.npmrc`. */
  readonly cwd: string;
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Brings the source into the staging directory. Nothing of it runs. */
export async function fetchSource(source: Source, options: FetchOptions): Promise<Outcome<Fetched>> {
  if (source.kind === 'directory') return fetchDirectory(source.dir, options);
  if (source.kind === 'tarball')
    return fetchTarball(source.file, `the tarball ${path.basename(source.file)}`, options);
  options.say(`fetching ${source.spec} from the npm registry`);
  const packed = await packPackage(source.spec, path.join(options.staging, 'packed'), options);
  if (!packed.ok) return packed;
  const fetched = await fetchTarball(packed.value, `the npm package ${source.spec}`, options);
  if (!fetched.ok) return fetched;
  const { name, version } = fetched.value.facts ?? {};
  if (name === undefined || version === undefined) return fetched;
  return done({ ...fetched.value, from: `the npm package ${name}@${version}` });
}

async function fetchDirectory(
  dir: string,
  { staging, say, signal }: FetchOptions,
): Promise<Outcome<Fetched>> {
  const root = path.join(staging, 'source');
  const facts = await readPackageJson(dir);
  say(`copying ${dir}`);
  const refusal = await copyDirectory(dir, root, {
    allowance: new Allowance(),
    // What is there is taken as it is, if it is all: no network is needed then.
    withPackages: facts === undefined || !(await lacksPackages(dir, facts)),
    ...(signal === undefined ? {} : { signal }),
  });
  if (refusal !== undefined) return refusal;
  return done({
    ...{ root: await realpath(root), facts },
    nameHint: toName(path.basename(dir)),
    from: `the directory ${dir}`,
  });
}

async function fetchTarball(
  file: string,
  from: string,
  { staging, say, signal }: FetchOptions,
): Promise<Outcome<Fetched>> {
  const unpacked = path.join(staging, 'source');
  say(`unpacking ${path.basename(file)}`);
  await mkdir(unpacked, { recursive: true });
  const refusal = await extractTarball(file, unpacked, new Allowance(), signal);
  if (refusal !== undefined) return refusal;
  const names = await readdir(unpacked, { withFileTypes: true });
  if (names.length === 0) return failed('the tarball is empty');
  const [only] = names;
  // Tarballs hold one folder by custom, which is no part of what is in it.
  const wrapper = names.length === 1 && only?.isDirectory() === true ? only.name : undefined;
  const root = await realpath(path.join(unpacked, wrapper ?? '.'));
  const facts = await readPackageJson(root);
  const stem = path.basename(file).replace(/(?:-\d+\.\d+\.\d+[^/]*)?\.(?:tgz|tar\.gz|tar)$/i, '');
  const nameHint =
    facts?.name?.replace(/^@[^/]*\//, '') ??
    (wrapper === undefined || wrapper === 'package' ? stem : wrapper);
  return done({ root, from, facts, nameHint: toName(nameHint) });
}

const LONGEST_NAME = 100;

/** A text as it may stand for a directory and a tool. */
export function toName(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[._-]+/, '')
    .slice(0, LONGEST_NAME);
  return plain === '' || plain === 'node_modules' ? 'plugin' : plain;
}
