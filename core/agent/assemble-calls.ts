import { randomUUID } from 'node:crypto';

/** A piece of a tool call, as Chat Completions streams it. Every field may be missing: servers differ. */
export interface CallDelta {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly function?:
    | { readonly name?: string | null | undefined; readonly arguments?: unknown }
    | null
    | undefined;
}

export interface AssembledCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface Draft {
  id: string | undefined;
  name: string;
  text: string;
}

/**
 * Puts streamed tool calls together again. Who a piece belongs to, first rule that holds: a known id wins; a new id
 * is a new call, even on a used index; an index means the latest call on it; no index means the latest call at all.
 * A name where a whole call already stands begins another one.
 */
export class CallAssembler {
  readonly #drafts: Draft[] = [];
  readonly #byId = new Map<string, Draft>();
  readonly #byIndex = new Map<number, Draft>();

  add(delta: CallDelta): void {
    const id = nonEmpty(delta.id);
    const name = nonEmpty(delta.function?.name);
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const text = argumentText(delta.function?.arguments);
    const draft = this.#find(id, index, { name, text }) ?? this.#begin();
    if (id !== undefined && draft.id === undefined && !this.#byId.has(id)) {
      draft.id = id;
      this.#byId.set(id, draft);
    }
    if (index !== undefined) this.#byIndex.set(index, draft);
    addName(draft, name);
    draft.text += text;
  }

  get size(): number {
    return this.#drafts.length;
  }

  /** The calls in the order in which they began. A call without an id gets one. */
  finish(): AssembledCall[] {
    return this.#drafts.map(({ id, name, text }) => ({
      id: id ?? `call_${randomUUID()}`,
      name,
      arguments: text,
    }));
  }

  #find(id: string | undefined, index: number | undefined, piece: Piece): Draft | undefined {
    const onIndex = index === undefined ? this.#drafts.at(-1) : this.#byIndex.get(index);
    const known = id === undefined ? undefined : this.#byId.get(id);
    // Some servers give every call of a message the same id.
    if (known !== undefined) return startsAnother(known, piece) ? undefined : known;
    if (onIndex === undefined || startsAnother(onIndex, piece)) return undefined;
    return id === undefined || onIndex.id === undefined ? onIndex : undefined;
  }

  #begin(): Draft {
    const draft: Draft = { id: undefined, name: '', text: '' };
    this.#drafts.push(draft);
    return draft;
  }
}

interface Piece {
  readonly name: string | undefined;
  readonly text: string;
}

/** Some servers repeat the name on every piece, so the same name begins a new call only where the last is whole. */
function startsAnother(draft: Draft, { name, text }: Piece): boolean {
  if (name === undefined || draft.name === '' || draft.text === '') return false;
  return name !== draft.name || (text.trim() !== '' && isWhole(draft.text));
}

function addName(draft: Draft, name: string | undefined): void {
  if (name === undefined || name === draft.name) return;
  // In pieces (`get_` + `weather`), or whole again at the end.
  draft.name = name.startsWith(draft.name) ? name : `${draft.name}${name}`;
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function nonEmpty(text: string | null | undefined): string | undefined {
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Is this the whole text of a JSON object? */
export function isWhole(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
