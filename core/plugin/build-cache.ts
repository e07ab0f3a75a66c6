import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Limits } from '../config/limits.ts';
import { replaceFile } from '../replace-file.ts';
import { locateWorker } from '../sandbox/worker-bundle.ts';
import { isRecord } from '../schema/pointer.ts';
import { readVersion } from '../version.ts';
import type { BundleResult } from './bundle.ts';
import { MAX_SOURCE_BYTES } from './confine.ts';
import { contentHash } from './content-hash.ts';
import type { Warning } from './manifest.ts';
import { standInFiles } from './node-modules.ts';
import { trimFolder } from './trim-folder.ts';

export type Bundle = Extract<BundleResult, { ok: true }>;

/** What the load of a good plugin came to, as far as it follows from the files in its directory. */
export interface KeptBuild {
  readonly bundle: Bundle;
  /** The version that was tried, and the limits under which it loaded: see {@link trialOf}. */
  readonly trial: string;
  /** Hash of the types that were written beside it; empty: there were none. */
  readonly types: string;
}

/** Raised when what is kept, or how it is made, changes within a version. */
const FORMAT = 1;
const MOST_KEPT = 2_000;
/** Files that are written before the oldest are looked for. */
const TRIM_EVERY = 200;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Bundles by the content of the plugin's whole directory, so that a start needs neither the bundler nor a trial of what
 * has not changed. Only of your own plugins, and only where the directory's hash says all that they came of (see
 * keep-build.ts). The folder is the host's own, lies where no plugin may write, and may be deleted at any
 * time; what is in it is worthless to any other version.
 */
export class BuildCache {
  readonly #dir: string;
  #written = 0;

  /** @param dir absolute; made when something is kept. */
  constructor(dir: string) {
    this.#dir = path.join(dir, 'builds');
  }

  /** @param contents hash of the plugin's directory; see `readDirectory`. */
  async get(dir: string, entry: string, contents: string): Promise<KeptBuild | undefined> {
    try {
      const file = await this.#fileOf(dir, entry, contents);
      const info = await stat(file);
      if (!info.isFile() || info.size > MAX_BYTES) return undefined;
      return readKept(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      // Not there, cut, or of another time: it is built again.
      return undefined;
    }
  }

  /** A cache that can't be written is none; nothing fails by that. */
  async put(
    dir: string,
    entry: string,
    contents: string,
    { bundle, trial, types }: KeptBuild,
  ): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true });
      const { code, map, hash, warnings } = bundle;
      const text = JSON.stringify({ code, map, hash, warnings, inputs: [...bundle.inputs], trial, types });
      await replaceFile(await this.#fileOf(dir, entry, contents), text, { mode: 0o600 });
      this.#written += 1;
      if (this.#written % TRIM_EVERY === 1) await trimFolder(this.#dir, MOST_KEPT);
    } catch {
      // It is built again.
    }
  }

  async #fileOf(dir: string, entry: string, contents: string): Promise<string> {
    maker ??= makerVersion();
    const key = contentHash(await maker, ...packageFilesAbove(dir), entry, contents);
    return path.join(this.#dir, `${key}.json`);
  }
}

/** A version that loaded once under limits loads again under the same ones. */
export function trialOf(version: string, { cpuMs, memoryMb, logBytes, hostCalls }: Limits): string {
  return [version, cpuMs, memoryMb, logBytes, hostCalls].join(' ');
}

let maker: Promise<string> | undefined;

/** What a bundle, and whether it loads, depend on besides the plugin. */
async function makerVersion(): Promise<string> {
  const files = [
    // In a checkout the version stays while the code changes.
    ...MAKERS.map((name) => path.join(import.meta.dirname, name + path.extname(import.meta.filename))),
    createRequire(import.meta.url).resolve('esbuild'),
    ...standInFiles(),
    await locateWorker(),
  ];
  return JSON.stringify([FORMAT, readVersion(), process.versions.v8, files.map(stampOf)]);
}

/** What looks at a plugin's files and bundles them, in this folder. */
const MAKERS = [
  ...['bundle', 'bundle-problems', 'code-hash', 'confine', 'load-plugin'],
  ...['node-modules', 'read-directory', 'traps'],
];

function stampOf(file: string): readonly (string | number)[] {
  const { size, mtimeMs } = statSync(file);
  return [path.basename(file), size, mtimeMs];
}

/** The bundler heeds the nearest one above a plugin without its own: `sideEffects`, `type`, `browser`. */
function packageFilesAbove(dir: string): readonly string[] {
  const above = path.dirname(dir);
  if (above === dir) return [];
  const content = readRegular(path.join(above, 'package.json'));
  return [content === undefined ? '' : contentHash(content), ...packageFilesAbove(above)];
}

/** Undefined for what is none, or no file that a bundle is made of. A pipe in its place must not block. */
function readRegular(file: string): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(handle);
    return info.isFile() && info.size <= MAX_SOURCE_BYTES ? readFileSync(handle) : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function readKept(value: unknown): KeptBuild | undefined {
  if (!isRecord(value)) return undefined;
  const { code, map, hash, warnings, inputs, trial, types } = value;
  const isText = (each: unknown): each is string => typeof each === 'string';
  const isPair = (each: unknown): each is readonly [string, string] =>
    Array.isArray(each) && each.length === 2 && each.every(isText);
  if (!isText(code) || !isText(map) || !isText(hash) || !isText(trial) || !isText(types)) return undefined;
  if (!Array.isArray(warnings) || !warnings.every(isWarning)) return undefined;
  if (!Array.isArray(inputs) || !inputs.every(isPair) || !inputs.every(([file]) => isInside(file)))
    return undefined;
  const bundle = {
    ok: true,
    code,
    map,
    hash,
    warnings,
    inputs: new Map(inputs),
    namesPackages: false,
    outside: [],
  } as const;
  return { bundle, trial, types };
}

/** Relative, and leading nowhere else. */
function isInside(file: string): boolean {
  return !path.isAbsolute(file) && !file.split(/[\\/]/).includes('..');
}

function isWarning(value: unknown): value is Warning {
  return isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string';
}
