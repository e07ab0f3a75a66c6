import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild';
import { type BuiltIn, builtIn, builtInOfStandIn } from './node-modules.ts';
import { readUpTo } from './read-up-to.ts';

/** Compiling is the one thing that no interrupt reaches, so size is what bounds it: of each source file and of the whole. */
export const MAX_SOURCE_BYTES = 1024 * 1024;
/** Parsers recurse: without a bound a megabyte of brackets takes a gigabyte of stack, and then the bundler down. */
const MAX_NESTING = 5_000;
const OWN = 'glovebox';
const EMPTY = 'glovebox-empty';
const LEADS_OUT = "leads out of the plugin's directory: move the file inside, or make it a package";
const RESOLVING = Symbol('resolving');
const PACKAGES = `${path.sep}node_modules${path.sep}`;

/**
 * Imports that need a judgement: packages and all that is no path. Paths are left to esbuild, which is ten times as fast
 * with hundreds of files; where they led is judged as the file is read.
 */
const NO_RELATIVE_PATH = /^([^.]|\.[^./]|\.\.[^/])/;

/** What one build has read, and may read. */
export interface Confinement {
  readonly plugin: Plugin;
  /** Content hashes of the files that went in, by absolute path; without our own stand-ins. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Did an import name a package, found or not? What it comes to is not said by the plugin's directory. */
  readonly namesPackages: () => boolean;
}

/**
 * Keeps a build inside the plugin's directory, but for packages where those are allowed. Imports are judged as they are
 * resolved; every file is judged once more as it is read, since esbuild expands a computed import by itself.
 */
export function confine(dir: string, packagesAbove: boolean): Confinement {
  const inputs = new Map<string, string>();
  const gate = new Gate(dir, packagesAbove, inputs);
  const plugin: Plugin = {
    name: 'confine',
    setup(build) {
      build.onResolve({ filter: NO_RELATIVE_PATH }, (args) => gate.resolve(build, args));
      build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path: file }) => gate.load(file));
      build.onLoad({ filter: /.*/, namespace: OWN }, ({ pluginData }) => ({
        contents: String(pluginData),
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: EMPTY }, () => ({
        contents: 'module.exports = {};',
        loader: 'js',
      }));
    },
  };
  return { plugin, inputs, namesPackages: () => gate.namesPackages };
}

class Gate {
  readonly #dir: string;
  readonly #packagesAbove: boolean;
  readonly #inputs: Map<string, string>;
  /** Directories of the libraries that stand in for Node's built-ins: ours, so they may import each other. */
  readonly #standIns = new Set<string>();
  namesPackages = false;
  /** Directories of packages outside that an allowed import led to. */
  readonly #packages = new Set<string>();

  constructor(dir: string, packagesAbove: boolean, inputs: Map<string, string>) {
    this.#dir = dir;
    this.#packagesAbove = packagesAbove;
    this.#inputs = inputs;
  }

  async resolve(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path: specifier, importer, kind } = args;
    if (args.pluginData === RESOLVING || kind === 'entry-point') return undefined;
    const ours = isWithin(importer, this.#standIns);
    const inPackage = importer.includes(PACKAGES);
    const special = ours ? builtInOfStandIn(specifier) : undefined;
    if (special !== undefined) return this.#give(specifier, special, false);
    // A package may replace a built-in by a file of its own, or by nothing (`"browser": {"fs": false}`).
    if (ours || !inPackage || specifier.startsWith('node:')) {
      const found = this.#builtIn(specifier, kind === 'require-call' && inPackage);
      if (found !== undefined) return found;
    }
    if (/^[a-z][a-z0-9+.-]*:/i.test(specifier))
      return refuse(`"${specifier}" can't be imported: a plugin's code is in its directory`);
    if (path.isAbsolute(specifier))
      return refuse(`"${specifier}" can't be imported: an import starts with "./", or names a package`);
    if (!ours) this.namesPackages = true;
    const resolved = await build.resolve(specifier, {
      importer,
      resolveDir: args.resolveDir,
      kind,
      with: args.with,
      pluginData: RESOLVING,
    });
    if (resolved.errors.length > 0) {
      // esbuild finds nothing either, and is lenient where a package tries an optional one.
      return this.#builtIn(specifier, kind === 'require-call') ?? undefined;
    }
    if (resolved.namespace !== 'file') return { path: specifier, namespace: EMPTY };
    const real = await realpath(resolved.path).catch(() => resolved.path);
    const admitted = { path: real, sideEffects: resolved.sideEffects };
    if (ours) {
      this.#standIns.add(homeOf(real));
      return admitted;
    }
    if (await this.#mayImport(specifier, real, args.resolveDir)) return admitted;
    const found = this.#builtIn(specifier, kind === 'require-call' && inPackage);
    if (found !== undefined) return found;
    return refuse(
      isBare(specifier) && !this.#packagesAbove
        ? `the package "${specifier}" is outside the plugin's directory: a stranger's plugin brings its own node_modules`
        : `"${specifier}" ${LEADS_OUT}`,
    );
  }

  async load(file: string): Promise<OnLoadResult> {
    if (isWithin(file, this.#standIns)) return {};
    const name = path.basename(file);
    const real = await realpath(file).catch(() => undefined);
    if (real === undefined) return refuse(`"${name}" is gone`);
    if (!this.#isInside(real) && !isWithin(real, this.#packages)) return refuse(`"${name}" ${LEADS_OUT}`);
    if (/\.(node|wasm)$/.test(real))
      return refuse(`"${name}" can't work in a plugin: native code and WebAssembly are not there`);
    const content = await readRegular(real);
    if (typeof content === 'string') return refuse(content);
    if (isNestedDeeply(content)) return refuse(`it nests deeper than ${MAX_NESTING}`);
    const hash = createHash('sha256').update(content).digest('hex');
    // Read once more under another suffix or loader: one hash must stand for all that was bundled.
    if ((this.#inputs.get(real) ?? hash) !== hash) return refuse(`"${name}" was changed while it was read`);
    this.#inputs.set(real, hash);
    return { contents: withoutSourceMaps(content), loader: 'default', resolveDir: path.dirname(file) };
  }

  #builtIn(specifier: string, isOptional: boolean): OnResolveResult | undefined {
    const found = builtIn(specifier);
    return found === undefined ? undefined : this.#give(specifier, found, isOptional);
  }

  #give(specifier: string, found: BuiltIn, isOptional: boolean): OnResolveResult {
    const namespace = OWN;
    if (found.kind === 'source') return { path: specifier, namespace, pluginData: found.source };
    if (found.kind === 'file') {
      this.#standIns.add(homeOf(found.path));
      return { path: found.path, sideEffects: false };
    }
    const message = `"${specifier}" can't work in a plugin: ${found.reason}`;
    // Packages often require such a thing where it is not needed; whoever gets there is told.
    if (isOptional)
      return { path: specifier, namespace, pluginData: `throw new Error(${JSON.stringify(message)});` };
    return refuse(message);
  }

  async #mayImport(specifier: string, real: string, from: string): Promise<boolean> {
    if (this.#isInside(real) || isWithin(real, this.#packages)) return true;
    if (!this.#packagesAbove || !isBare(specifier)) return false;
    const [first = '', second = ''] = specifier.split('/');
    const name = first.startsWith('@') ? path.join(first, second) : first;
    // Only a package that the walk up through node_modules finds, wherever that is linked to.
    for (let above = from; ; above = path.dirname(above)) {
      const home = await realpath(path.join(above, 'node_modules', name)).catch(() => undefined);
      if (home !== undefined && real.startsWith(home + path.sep)) {
        this.#packages.add(home);
        return true;
      }
      if (path.dirname(above) === above) return false;
    }
  }

  #isInside(file: string): boolean {
    return file.startsWith(this.#dir + path.sep);
  }
}

function isWithin(file: string, directories: ReadonlySet<string>): boolean {
  for (const directory of directories) if (file.startsWith(directory + path.sep)) return true;
  return false;
}

/** The directory of the package that a file belongs to. */
function homeOf(file: string): string {
  const at = file.lastIndexOf(PACKAGES) + PACKAGES.length;
  return file.slice(0, file.indexOf(path.sep, at));
}

function isBare(specifier: string): boolean {
  return !/^[./#]/.test(specifier);
}

function refuse(text: string): { errors: { text: string }[] } {
  return { errors: [{ text }] };
}

const OPENING = new Set([...'([{'].map((character) => character.charCodeAt(0)));
const CLOSING = new Set([...')]}'].map((character) => character.charCodeAt(0)));
const PREFIX = new Set([...'!~+-'].map((character) => character.charCodeAt(0)));

/** Counts brackets and runs of prefix operators, in strings and comments too: an estimate, but one in a single pass. */
function isNestedDeeply(content: Uint8Array): boolean {
  let depth = 0;
  let prefixes = 0;
  for (const byte of content) {
    if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth = Math.max(0, depth - 1);
    if (PREFIX.has(byte)) prefixes += 1;
    else if (byte > 0x20) prefixes = 0;
    if (depth > MAX_NESTING || prefixes > MAX_NESTING) return true;
  }
  return false;
}

/** A pipe or a device under an innocent name would never end. */
async function readRegular(file: string): Promise<Uint8Array | string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const info = await handle.stat();
    if (!info.isFile()) return 'it is no regular file';
    if (info.size > MAX_SOURCE_BYTES)
      return `it has ${info.size} bytes; a source file may have ${MAX_SOURCE_BYTES}`;
    const content = await readUpTo(handle, MAX_SOURCE_BYTES + 1);
    if (content.length > MAX_SOURCE_BYTES)
      return `it has more than the ${MAX_SOURCE_BYTES} bytes of a source file`;
    return content;
  } catch (error) {
    return `it can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`; // node:fs rejects with these
  } finally {
    await handle?.close();
  }
}

/** esbuild would follow such a comment to any file, and believe what a map says of its sources. */
function withoutSourceMaps(content: Uint8Array): string | Uint8Array {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!text.includes('sourceMappingURL')) return content;
  return text.toString('utf8').replace(/(\/[/*]\s*)[#@](?=\s*sourceMappingURL)/g, '$1');
}
