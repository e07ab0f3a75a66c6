import { type Note, Notebook } from './notebook.ts';
import type { Arguments, Context } from './schema.d.ts';
import { rank } from './search.ts';

const DEFAULT_LIMIT = 20;
const EXCERPT_CHARS = 200;

const ALLOWED: Readonly<Record<Arguments['action'], readonly (keyof Arguments)[]>> = {
  set: ['key', 'text', 'tags'],
  get: ['key'],
  search: ['query', 'prefix', 'limit'],
  list: ['prefix', 'limit'],
  forget: ['key'],
};

export default async function remember(options: Arguments, ctx: Context): Promise<string> {
  const { action, prefix = '', limit = DEFAULT_LIMIT } = options;
  for (const name of Object.keys(options) as (keyof Arguments)[]) {
    // Only what schema.json names comes here.
    if (name !== 'action' && !ALLOWED[action].includes(name))
      throw new Error(`"${name}" has no meaning for ${action}, which takes ${ALLOWED[action].join(', ')}.`);
  }
  const notebook = new Notebook(ctx.storage);
  switch (action) {
    case 'set':
      return set(
        notebook,
        needed(options.key, 'key', action),
        needed(options.text, 'text', action),
        options.tags,
      );
    case 'get':
      return get(notebook, needed(options.key, 'key', action));
    case 'forget':
      return forget(notebook, needed(options.key, 'key', action));
    case 'list':
      return list(notebook, prefix, limit);
    case 'search':
      return search(notebook, needed(options.query, 'query', action), prefix, limit);
  }
}

async function set(
  notebook: Notebook,
  key: string,
  text: string,
  tags: readonly string[] = [],
): Promise<string> {
  const before = await notebook.get(key);
  await notebook.set({ key, text, tags, updated: new Date().toISOString() });
  if (before === undefined) return `Noted under "${key}".`;
  return before.text === text
    ? `"${key}" said that already.`
    : `Replaced "${key}"; it said: ${excerpt(before.text)}`;
}

async function get(notebook: Notebook, key: string): Promise<string> {
  const note = await notebook.get(key);
  if (note !== undefined) return describe(note);
  const near = rank(await notebook.all(), key)
    .slice(0, 5)
    .map((found) => `"${found.key}"`);
  return `There is no note "${key}".${near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`}`;
}

async function forget(notebook: Notebook, key: string): Promise<string> {
  return (await notebook.delete(key)) ? `Forgot "${key}".` : `There was no note "${key}".`;
}

async function list(notebook: Notebook, prefix: string, limit: number): Promise<string> {
  const notes = await notebook.all(prefix);
  if (notes.length === 0)
    return prefix === '' ? 'There are no notes yet.' : `No key begins with "${prefix}".`;
  return table(notes, limit, `${count(notes.length)}${prefix === '' ? '' : ` below "${prefix}"`}`);
}

async function search(notebook: Notebook, query: string, prefix: string, limit: number): Promise<string> {
  const notes = await notebook.all(prefix);
  const found = rank(notes, query);
  if (found.length === 0) return `No note holds ${JSON.stringify(query)} (${count(notes.length)} searched).`;
  return table(found, limit, `${count(found.length)} for ${JSON.stringify(query)}, best first`);
}

function table(notes: readonly Note[], limit: number, head: string): string {
  const more = notes.length > limit ? `; the first ${limit}` : '';
  const rows = notes
    .slice(0, limit)
    .map(({ key, text, updated }) => `- ${key} (${updated.slice(0, 10)}): ${excerpt(text)}`);
  return [`${head}${more}:`, ...rows].join('\n');
}

function describe({ key, text, tags, updated }: Note): string {
  const tagged = tags.length === 0 ? '' : `, tags ${tags.join(', ')}`;
  return `${key} (${updated.slice(0, 10)}${tagged}):\n${text}`;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= EXCERPT_CHARS ? line : `${line.slice(0, EXCERPT_CHARS).toWellFormed()}…`;
}

function count(notes: number): string {
  return notes === 1 ? '1 note' : `${notes} notes`;
}

function needed(value: string | undefined, name: string, action: string): string {
  if (value === undefined) throw new Error(`${action} needs "${name}".`);
  return value;
}
