import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { compiler, type ts } from './compiler.ts';
import { parseSource } from './inline-comments.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

type Version = ts.ScriptTarget | ts.CreateSourceFileOptions;

/** The language's own types, which every program reads with the same options: parsed once in a process. */
const libraries = new Map<string, ts.SourceFile>();

export interface SourceFilesOptions {
  /** Nothing outside it is read, whatever is imported, and no link is followed out of it. Absent: everything may be. */
  readonly confineTo?: string;
  /** Files that are there besides, by absolute path. */
  readonly virtual: ReadonlyMap<string, string>;
}

/** What a compiler reads: the plugin's files, with bounds, and the compiler's own libraries. */
export class SourceFiles {
  readonly #options: SourceFilesOptions;
  /** The compiler's own package. */
  readonly #libraries: string;
  readonly #confinedTo: string | undefined;
  readonly #inputs = new Map<string, string>();
  #bytes = 0;

  constructor(options: SourceFilesOptions) {
    this.#options = options;
    this.#libraries = path.resolve(compiler.getDefaultLibFilePath({}), '../..') + path.sep;
    this.#confinedTo = options.confineTo === undefined ? undefined : realpathSync(options.confineTo);
  }

  /** Hashes of the files that were read, by absolute path; the compiler's own are not among them. */
  get inputs(): ReadonlyMap<string, string> {
    return this.#inputs;
  }

  host(options: ts.CompilerOptions): ts.CompilerHost {
    return {
      ...compiler.createCompilerHost(options),
      fileExists: (file) => this.#options.virtual.has(file) || this.#sizeOf(file) !== undefined,
      readFile: (file) => this.#read(file),
      getSourceFile: (file, languageVersion) =>
        this.#isLibrary(file) ? this.#library(file, languageVersion) : this.#parse(file, languageVersion),
      directoryExists: (dir) =>
        this.#isAllowed(dir) && statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true,
      // It is asked for only to find packages of types, of which none are taken in by themselves.
      getDirectories: () => [],
      writeFile: () => undefined,
    };
  }

  #parse(file: string, version: Version): ts.SourceFile | undefined {
    const text = this.#read(file);
    return text === undefined ? undefined : parseSource(file, text, version);
  }

  #library(file: string, version: Version): ts.SourceFile | undefined {
    const known = libraries.get(file) ?? this.#parse(file, version);
    if (known !== undefined) libraries.set(file, known);
    return known;
  }

  #read(file: string): string | undefined {
    const virtual = this.#options.virtual.get(file);
    if (virtual !== undefined) return virtual;
    if (this.#isLibrary(file)) return readFileSync(file, 'utf8');
    const size = this.#sizeOf(file);
    if (size === undefined || this.#inputs.size >= MAX_FILES || this.#bytes + size > MAX_BYTES)
      return undefined;
    // A pipe may have taken the file's place: opening it must not block.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(handle).isFile()) return undefined;
      const bytes = readFileSync(handle);
      this.#bytes += bytes.length;
      this.#inputs.set(file, createHash('sha256').update(bytes).digest('hex'));
      return bytes.toString('utf8');
    } finally {
      closeSync(handle);
    }
  }

  #sizeOf(file: string): number | undefined {
    const info = statSync(file, { throwIfNoEntry: false });
    if (info?.isFile() !== true || !this.#isAllowed(file)) return undefined;
    return info.size <= MAX_FILE_BYTES || this.#isLibrary(file) ? info.size : undefined;
  }

  #isAllowed(file: string): boolean {
    if (this.#confinedTo === undefined || this.#isLibrary(file)) return true;
    try {
      const real = realpathSync(file);
      return real === this.#confinedTo || real.startsWith(this.#confinedTo + path.sep);
    } catch {
      return false;
    }
  }

  #isLibrary(file: string): boolean {
    return file.startsWith(this.#libraries);
  }
}
