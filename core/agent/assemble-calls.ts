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
  /** Its name came again after its whole text: arguments that follow now are another call's. */
  isNamedAgain: boolean;
}

/**
 * Puts streamed tool calls together again. Who a piece belongs to, first rule that holds: a known id wins; a new id
 * is a new call, even on a used index; an index means the latest call on it; no index means the latest call at all.
 * A name where a whole call already stands begins another one, once arguments follow it.
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
    const owner = this.#ownerOf(id, index);
    const isAnother = owner === undefined || startsAnother(owner, { name, text });
    const draft = isAnother ? this.#begin(owner) : owner;
    if (id !== undefined && (isAnother || !this.#byId.has(id))) {
      // Some servers give every call of a message the same id: the first keeps it, the latest is meant by it.
      if (!this.#byId.has(id)) draft.id ??= id;
      this.#byId.set(id, draft);
    }
    if (index !== undefined) this.#byIndex.set(index, draft);
    addName(draft, name);
    draft.text += text;
    if (!isAnother && name !== undefined && isWhole(draft.text)) draft.isNamedAgain = true;
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

  #ownerOf(id: string | undefined, index: number | undefined): Draft | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    const onIndex = index === undefined ? this.#drafts.at(-1) : this.#byIndex.get(index);
    return id === undefined || onIndex?.id === undefined ? onIndex : undefined;
  }

  /** @param before - the call that the piece would have belonged to, had it not been whole. */
  #begin(before: Draft | undefined): Draft {
    const draft: Draft = {
      id: undefined,
      name: before?.isNamedAgain === true ? before.name : '',
      text: '',
      isNamedAgain: false,
    };
    if (before !== undefined) before.isNamedAgain = false;
    this.#drafts.push(draft);
    return draft;
  }
}

interface Piece {
  readonly name: string | undefined;
  readonly text: string;
}

/**
 * Some servers repeat the name on every piece, so the same name begins a new call only where the last is whole, and
 * only with arguments: with or after it.
 */
function startsAnother(draft: Draft, { name, text }: Piece): boolean {
  if (draft.name === '' || draft.text === '') return false;
  if (name !== undefined && name !== draft.name) return true;
  return (name !== undefined || draft.isNamedAgain) && text.trim() !== '' && isWhole(draft.text);
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
