export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface DirentRecord {
  readonly name: string;
  readonly kind: FileKind;
  /** The directory that holds it, as the plugin would write it. */
  readonly parent: string;
}

export interface StatsRecord {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly mode: number;
}

class FileType {
  readonly #kind: FileKind;

  constructor(kind: FileKind) {
    this.#kind = kind;
  }

  isFile(): boolean {
    return this.#kind === 'file';
  }

  isDirectory(): boolean {
    return this.#kind === 'directory';
  }

  isSymbolicLink(): boolean {
    return this.#kind === 'symlink';
  }

  isBlockDevice(): boolean {
    return false;
  }

  isCharacterDevice(): boolean {
    return false;
  }

  isFIFO(): boolean {
    return false;
  }

  isSocket(): boolean {
    return false;
  }
}

class Dirent extends FileType {
  readonly name: string;
  readonly parentPath: string;

  constructor(record: DirentRecord) {
    super(record.kind);
    this.name = record.name;
    this.parentPath = record.parent;
  }
}

class Stats extends FileType {
  readonly size: number;
  readonly mode: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  readonly birthtime: Date;

  constructor(record: StatsRecord) {
    super(record.kind);
    this.size = record.size;
    this.mode = record.mode;
    // The host doesn't tell when a file was read.
    this.atimeMs = record.mtimeMs;
    this.mtimeMs = record.mtimeMs;
    this.ctimeMs = record.ctimeMs;
    this.birthtimeMs = record.birthtimeMs;
    this.atime = new Date(this.atimeMs);
    this.mtime = new Date(this.mtimeMs);
    this.ctime = new Date(this.ctimeMs);
    this.birthtime = new Date(this.birthtimeMs);
  }
}

export function makeDirent(record: DirentRecord): object {
  return new Dirent(record);
}

export function makeStats(record: StatsRecord): object {
  return new Stats(record);
}
