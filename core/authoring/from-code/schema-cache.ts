import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentHash } from '../../plugin/content-hash.ts';
import { trimFolder } from '../../plugin/trim-folder.ts';
import { replaceFile } from '../../replace-file.ts';
import { isRecord } from '../../schema/pointer.ts';
import { generatorVersion } from '../signature/generator-version.ts';

/** A schema that was read out of code. */
export interface DerivedSchema {
  /** As a schema.json would have it. */
  readonly text: string;
  readonly warnings: readonly string[];
  /** Files that it was read out of besides those that are bundled: types. Absolute, with their SHA-256. */
  readonly inputs: readonly (readonly [string, string])[];
}

const MAX_ENTRIES = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Schemas by the content that they were read out of, and by the version of what read them. What is in it is checked
 * again when it is used; the folder may be deleted at any time.
 */
export class SchemaCache {
  readonly #dir: string;

  /** @param dir absolute; made when something is kept. */
  constructor(dir: string) {
    this.#dir = path.join(dir, 'schemas');
  }

  async get(content: readonly string[]): Promise<DerivedSchema | undefined> {
    const file = this.#fileOf(content);
    try {
      const info = await stat(file);
      if (!info.isFile() || info.size > MAX_BYTES) return undefined;
      const entry = readEntry(JSON.parse(await readFile(file, 'utf8')));
      return entry !== undefined && (await isCurrent(entry)) ? entry : undefined;
    } catch {
      // Not there, cut, or of another time: it is read out of the code again.
      return undefined;
    }
  }

  /** A cache that can't be written is none; nothing fails by that. */
  async put(content: readonly string[], schema: DerivedSchema): Promise<void> {
    const file = this.#fileOf(content);
    try {
      await mkdir(this.#dir, { recursive: true });
      await replaceFile(file, JSON.stringify(schema));
      await trimFolder(this.#dir, MAX_ENTRIES);
    } catch {
      // It is read out of the code again.
    }
  }

  #fileOf(content: readonly string[]): string {
    return path.join(this.#dir, `${contentHash(generatorVersion(), ...content)}.json`);
  }
}

function readEntry(value: unknown): DerivedSchema | undefined {
  if (!isRecord(value)) return undefined;
  const { text, warnings, inputs } = value;
  const isText = (each: unknown): each is string => typeof each === 'string';
  const isInput = (each: unknown): each is readonly [string, string] =>
    Array.isArray(each) && each.length === 2 && each.every(isText);
  if (!isText(text) || !Array.isArray(warnings) || !Array.isArray(inputs)) return undefined;
  return warnings.every(isText) && inputs.every(isInput) ? { text, warnings, inputs } : undefined;
}

async function isCurrent({ inputs }: DerivedSchema): Promise<boolean> {
  for (const [file, hash] of inputs) {
    const content = await readFile(file).catch(() => undefined);
    if (content === undefined || createHash('sha256').update(content).digest('hex') !== hash) return false;
  }
  return true;
}
