import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import parseSpec from 'npm-package-arg';
import { done, misused, type Outcome } from './outcome.ts';

/** Where a plugin is to come from. */
export type Source =
  | { readonly kind: 'directory'; readonly dir: string }
  | { readonly kind: 'tarball'; readonly file: string }
  /** A package of the npm registry: `weather`, `@acme/weather@^2`. */
  | { readonly kind: 'package'; readonly spec: string };

const TARBALL = /\.(?:tgz|tar\.gz|tar)$/i;
const FORCED_PACKAGE = 'npm:';
const KINDS = 'a directory, a tarball (.tgz, .tar.gz, .tar) or the name of an npm package';

/**
 * Reads what stands behind `glovebox add`. What is there on the disk goes before a package of the same name;
 * `npm:NAME` means the package.
 */
export async function readSource(text: string, cwd: string): Promise<Outcome<Source>> {
  if (text.trim() === '') return misused(`name what to add: ${KINDS}`);
  if (text.startsWith(FORCED_PACKAGE)) return readPackage(text.slice(FORCED_PACKAGE.length), text);
  const file = path.resolve(cwd, text.startsWith('file:') ? text.slice('file:'.length) : text);
  const info = await stat(file).catch(() => undefined);
  if (info?.isDirectory()) return done({ kind: 'directory', dir: await realpath(file) });
  if (info?.isFile()) {
    if (TARBALL.test(file)) return done({ kind: 'tarball', file });
    return misused(`${text} is a file, but no tarball; add ${KINDS}`);
  }
  if (info !== undefined) return misused(`${text} is neither a directory nor a file`);
  if (text.startsWith('file:') || looksLikePath(text)) return misused(`there is no ${text}`);
  return readPackage(text, text);
}

function looksLikePath(text: string): boolean {
  return /^(?:\.{1,2}(?:[/\\]|$)|[/\\~])/.test(text) || path.isAbsolute(text) || TARBALL.test(text);
}

function readPackage(spec: string, text: string): Outcome<Source> {
  // It goes to npm's command line.
  if (spec.startsWith('-')) return misused(`${text} is no name of a package`);
  try {
    const { type, registry } = parseSpec(spec);
    if (registry === true && type !== 'alias') return done({ kind: 'package', spec });
    return misused(
      `${text} is neither there nor the name of a package in the npm registry; download it, and add ${KINDS}`,
    );
  } catch (error) {
    return misused(
      `${text} is neither there nor the name of an npm package (${error instanceof Error ? error.message : 'unreadable'})`,
    );
  }
}
