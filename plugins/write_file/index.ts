import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { applyEdits } from './apply-edits.ts';
import type { Arguments } from './schema.d.ts';

export default async function write(options: Arguments): Promise<string> {
  const { path, mode = 'create', content, edits } = options;
  if (/\/$/.test(path)) throw new Error(`${path} names a folder; name a file in it.`);
  try {
    if (mode === 'edit') return await edit(path, content, edits);
    if (edits !== undefined) throw new Error('"edits" need "mode": "edit"; the other modes take "content".');
    if (content === undefined) throw new Error(`Mode ${mode} needs "content", the text to write.`);
    return await put(path, mode, content);
  } catch (error) {
    throw explain(error, path);
  }
}

async function put(path: string, mode: 'create' | 'overwrite' | 'append', content: string): Promise<string> {
  const before = mode === 'create' ? undefined : await sizeIfThere(path);
  await makeFolder(path);
  if (mode === 'append') await appendFile(path, content);
  // wx fails if the file has come into being by now.
  else await writeFile(path, content, { flag: mode === 'create' ? 'wx' : 'w' });
  const size = `${lineCount(content)}, ${byteCount(content)} bytes`;
  if (before === undefined) return `Created ${path} (${size}).`;
  return mode === 'append'
    ? `Added ${size} to ${path}; it has ${before + byteCount(content)} bytes now.`
    : `Replaced ${path} (${size}; it had ${before} bytes).`;
}

async function edit(path: string, content: string | undefined, edits: Arguments['edits']): Promise<string> {
  if (content !== undefined) throw new Error('Mode edit takes "edits", not "content".');
  if (edits === undefined) throw new Error('Mode edit needs "edits": a list of {"find", "replace"}.');
  const bytes = await readFile(path);
  let before: string;
  try {
    before = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not UTF-8 text, so it can't be edited exactly.`);
  }
  const { text, places } = applyEdits(before, edits);
  if (text === before) return `${path} was left as it is: the edits change nothing.`;
  await writeFile(path, text);
  const told = places === 1 ? '1 place' : `${places} places`;
  return `Edited ${path} in ${told}; it has ${lineCount(text)} and ${byteCount(text)} bytes now.`;
}

async function makeFolder(path: string): Promise<void> {
  const slash = path.lastIndexOf('/');
  if (slash > 0) await mkdir(path.slice(0, slash), { recursive: true });
}

async function sizeIfThere(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A denial passes through as it is. */
function explain(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case 'EEXIST':
      return new Error(
        `${path} exists already and was left alone. Use mode edit, append or overwrite to change it, or another name.`,
      );
    case 'ENOENT':
      return Object.assign(new Error(`There is no file ${path}. Use mode create to make it.`), {
        code: 'ENOENT',
      });
    case 'EISDIR':
      return new Error(`${path} is a folder; name a file in it.`);
    case 'ENOTDIR':
      return new Error(`A part of ${path} is a file, not a folder.`);
    default:
      return error;
  }
}

function codeOf(error: unknown): unknown {
  return Reflect.get(Object(error), 'code');
}

function lineCount(text: string): string {
  const lines = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return lines === 1 ? '1 line' : `${lines} lines`;
}

function byteCount(text: string): number {
  return new TextEncoder().encode(text).length;
}
