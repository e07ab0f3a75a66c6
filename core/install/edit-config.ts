import path from 'node:path';
import { applyEdits, type FormattingOptions, modify, parse } from 'jsonc-parser';
import { DEFAULTS } from '../config/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { isRecord } from '../schema/pointer.ts';

export interface ConfigChange {
  /** The plugin directory that holds the plugins, absolute. */
  readonly dir: string;
  /** By plugin id; what is not named stays as it is. */
  readonly grants: ReadonlyMap<string, PermissionRequest>;
}

/**
 * Writes a plugin directory and grants into the text of a config, whose layout stays as it is. The directory is added
 * under trust "granted" unless an entry has it; the trust of no entry is touched.
 *
 * @param text the config as it is; undefined where there is no file yet.
 */
export function editConfig(text: string | undefined, baseDir: string, change: ConfigChange): string {
  const mark = text?.startsWith('\uFEFF') ? '\uFEFF' : '';
  const edit = new Edit(text === undefined ? '{}\n' : text.slice(mark.length));
  const index = ensureSource(edit, baseDir, change.dir);
  for (const [id, grants] of change.grants) edit.set(['plugins', index, 'grants', id], grants);
  return mark + edit.text;
}

function ensureSource(edit: Edit, baseDir: string, dir: string): number {
  const { plugins } = edit.value();
  const isSame = (entry: unknown) => {
    const named = isRecord(entry) ? entry.dir : entry;
    return typeof named === 'string' && path.resolve(baseDir, named) === dir;
  };
  const sources: readonly unknown[] = Array.isArray(plugins)
    ? plugins
    : plugins === undefined
      ? DEFAULTS.plugins
      : [plugins];
  const known = sources.findIndex(isSame);
  if (known >= 0 && Array.isArray(plugins)) return known;
  const added = { dir: relativeDir(baseDir, dir), trust: 'granted' };
  // A key that is absent stands for its default, which would be gone with a list that names only the new one.
  if (Array.isArray(plugins)) edit.append(['plugins', sources.length], added);
  else edit.set(['plugins'], [...sources, added]);
  return sources.length;
}

function relativeDir(baseDir: string, dir: string): string {
  const relative = path.relative(baseDir, dir).split(path.sep).join('/');
  return relative.startsWith('..') || path.isAbsolute(relative) ? relative : `./${relative}`;
}

class Edit {
  text: string;
  readonly #formattingOptions: FormattingOptions;

  constructor(text: string) {
    this.text = text;
    this.#formattingOptions = layoutOf(text);
  }

  value(): Readonly<Record<string, unknown>> {
    const value: unknown = parse(this.text);
    return isRecord(value) ? value : {};
  }

  set(at: (string | number)[], value: unknown): void {
    this.#apply(at, value, false);
  }

  append(at: (string | number)[], value: unknown): void {
    this.#apply(at, value, true);
  }

  #apply(at: (string | number)[], value: unknown, isArrayInsertion: boolean): void {
    const formattingOptions = this.#formattingOptions;
    this.text = applyEdits(this.text, modify(this.text, at, value, { formattingOptions, isArrayInsertion }));
  }
}

function layoutOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
