import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { parse } from 'es-module-lexer/js';
import type { Message } from 'esbuild';
import type { LoadProblem } from './problem.ts';

const MAX_LEFTOVERS = 20;

/** esbuild's message, with what to do where its own words don't say. */
export function explain({ text, location }: Message): LoadProblem {
  const message = reword(text);
  if (location === null) return { message };
  return { file: location.file, line: location.line, column: location.column + 1, message };
}

/** Is it about a package that isn't there, and may come without any file of the plugin changing? */
export function namesPackage({ text }: Message): boolean {
  return /^Could not resolve "[^.]/.test(text);
}

function reword(text: string): string {
  if (/Top-level await/i.test(text))
    return "top-level await can't work in a plugin: await inside the function";
  const [, missing] = /^Could not resolve "(.+?)"/.exec(text) ?? [];
  if (missing !== undefined) {
    if (missing.startsWith('.')) return `there is no file "${missing}"`;
    return `the package "${missing}" is not installed: run "npm install ${missing}" in the plugin's directory`;
  }
  const [, from, name] = /^No matching export in "glovebox:(.+?)" for import "(.+?)"/.exec(text) ?? [];
  if (from !== undefined) {
    const hint = /^(node:)?fs$/.test(from) ? ': use node:fs/promises' : '';
    return `"${from}" has no "${name}" in a plugin${hint}`;
  }
  const [, extension] = /^No loader is configured for "(.+?)" files/.exec(text) ?? [];
  if (extension !== undefined) return `a file "${extension}" can't be imported: code, JSON and text can`;
  return text;
}

/**
 * Imports that esbuild had to leave in the bundle, because what they name is computed when they run. A plugin is one
 * script, so they could only fail. In a package they may be a way that is never gone, so only the plugin's own count.
 */
export function findLeftovers(code: string, mapJson: string): LoadProblem[] {
  const offsets = [...importOffsets(code), ...requireOffsets(code)].slice(0, MAX_LEFTOVERS);
  if (offsets.length === 0) return [];
  const map = new TraceMap(mapJson);
  return offsets.flatMap(({ at, message }) => {
    const before = code.slice(0, at);
    const line = before.split('\n').length;
    const column = at - (before.lastIndexOf('\n') + 1);
    const { source, line: found, column: foundColumn } = originalPositionFor(map, { line, column });
    if (source === null || found === null || source.includes('node_modules/') || source.startsWith('../'))
      return [];
    return [{ file: source, line: found, column: (foundColumn ?? 0) + 1, message }];
  });
}

interface Leftover {
  readonly at: number;
  readonly message: string;
}

function importOffsets(code: string): Leftover[] {
  if (!code.includes('import')) return [];
  try {
    const [imports] = parse(code);
    return imports
      .filter((found) => found.type === 'dynamic')
      .map((found) => ({
        at: found.importStart,
        message: "an import of a computed path can't work in a plugin",
      }));
  } catch {
    // The lexer reads modules only: code that it can't read is left to the isolate.
    return [];
  }
}

function requireOffsets(code: string): Leftover[] {
  return [...code.matchAll(/\b__require\((?!["'`])/g)].map(({ index }) => ({
    at: index,
    message: "a require of a computed path can't work in a plugin",
  }));
}
