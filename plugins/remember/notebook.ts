import type { Context } from './schema.d.ts';

export interface Note {
  readonly key: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** ISO 8601. */
  readonly updated: string;
}

const PREFIX = 'note/';
const AT_ONE_TIME = 32;
const MOST_NOTES = 2_000;

/** Each note is an entry of its own, so that two calls at one time lose nothing of each other. */
export class Notebook {
  readonly #storage: Context['storage'];

  constructor(storage: Context['storage']) {
    this.#storage = storage;
  }

  async get(key: string): Promise<Note | undefined> {
    const stored = await this.#storage.get(PREFIX + key);
    return isNote(stored) ? { ...stored, key } : undefined;
  }

  async set({ key, text, tags, updated }: Note): Promise<void> {
    try {
      await this.#storage.set(PREFIX + key, { text, tags, updated });
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'quota_exceeded') throw error;
      throw new Error('The notebook is full. Forget notes that no longer matter, or make this one shorter.');
    }
  }

  delete(key: string): Promise<boolean> {
    return this.#storage.delete(PREFIX + key);
  }

  async all(prefix = ''): Promise<Note[]> {
    const keys = (await this.#storage.keys(PREFIX + prefix)).slice(0, MOST_NOTES);
    const notes: Note[] = [];
    for (let at = 0; at < keys.length; at += AT_ONE_TIME) {
      const batch = keys.slice(at, at + AT_ONE_TIME).map((key) => this.get(key.slice(PREFIX.length)));
      for (const note of await Promise.all(batch)) if (note !== undefined) notes.push(note);
    }
    return notes;
  }
}

function isNote(value: unknown): value is Omit<Note, 'key'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'tags' in value &&
    Array.isArray(value.tags) &&
    'updated' in value &&
    typeof value.updated === 'string'
  );
}
