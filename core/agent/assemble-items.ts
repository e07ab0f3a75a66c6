import { randomUUID } from 'node:crypto';
import type { ResponseFunctionToolCall, ResponseOutputItem } from 'openai/resources/responses/responses';

interface Draft {
  item: ResponseOutputItem | undefined;
  itemId: string | undefined;
  callId: string | undefined;
  position: number | undefined;
  name: string;
  text: string;
}

/** The output items of a streamed response, whatever its server leaves out: ids, positions, the final summary. */
export class ItemAssembler {
  readonly #drafts: Draft[] = [];
  readonly #byId = new Map<string, Draft>();
  readonly #byPosition = new Map<number, Draft>();

  added(item: ResponseOutputItem, position: number | undefined): void {
    if (item.type !== 'function_call') return;
    const known = this.#known(item.id, item.call_id);
    const draft =
      (known === undefined || isAnother(known, item, position) ? this.#unnamed(position) : known) ??
      this.#begin();
    this.#remember(draft, item, position);
    if (draft.text === '') draft.text = item.arguments ?? '';
  }

  delta(itemId: string | undefined, position: number | undefined, text: string): void {
    this.#for(itemId, position).text += text;
  }

  argumentsDone(itemId: string | undefined, position: number | undefined, text: string | undefined): void {
    if (typeof text === 'string') this.#for(itemId, position).text = text;
  }

  done(item: ResponseOutputItem, position: number | undefined): void {
    const draft =
      item.type === 'function_call'
        ? (this.#open(item, position) ?? this.#sameCall(item.name, position) ?? this.#begin())
        : this.#begin();
    this.#remember(draft, item, position);
    draft.item = item;
    if (item.type === 'function_call' && item.arguments) draft.text = item.arguments;
  }

  /** The items in order. `final` is the server's own list, believed where it holds every call that was streamed. */
  finish(final: readonly ResponseOutputItem[] | undefined): ResponseOutputItem[] {
    const isCall = (item: ResponseOutputItem): boolean => item.type === 'function_call';
    const streamed = this.#drafts.map(itemOf);
    const items =
      (final?.filter(isCall).length ?? -1) >= streamed.filter(isCall).length ? (final ?? []) : streamed;
    const taken = new Set<string>();
    return items.map((item) => {
      if (item.type !== 'function_call') return item;
      const wanted = item.call_id || callId(item.id);
      // Two calls under one id could not be told apart in the answers.
      const call_id = taken.has(wanted) ? callId(undefined) : wanted;
      taken.add(call_id);
      return call_id === item.call_id ? item : { ...item, call_id };
    });
  }

  #for(itemId: string | undefined, position: number | undefined): Draft {
    const onPosition = position === undefined ? this.#drafts.at(-1) : this.#byPosition.get(position);
    // Ids that several items share say less than the position.
    const isSame = itemId !== undefined && onPosition?.itemId === itemId;
    const draft = isSame ? onPosition : (this.#known(itemId) ?? onPosition ?? this.#begin());
    if (position !== undefined) this.#byPosition.set(position, draft);
    if (itemId !== undefined && draft.itemId === undefined) this.#identify(draft, itemId);
    return draft;
  }

  /** The call that this item ends: of several that share an id, the one at its position. */
  #open(item: ResponseFunctionToolCall, position: number | undefined): Draft | undefined {
    const onPosition = position === undefined ? undefined : this.#byPosition.get(position);
    const candidates = [
      onPosition?.callId === item.call_id ? onPosition : undefined,
      this.#known(item.id, item.call_id),
    ];
    return candidates.find(
      (draft) => draft !== undefined && draft.item === undefined && draft.name === item.name,
    );
  }

  #known(...ids: readonly (string | null | undefined)[]): Draft | undefined {
    for (const id of ids) {
      const draft = typeof id === 'string' && id !== '' ? this.#byId.get(id) : undefined;
      if (draft !== undefined) return draft;
    }
    return undefined;
  }

  /** Arguments that came before their item. */
  #unnamed(position: number | undefined): Draft | undefined {
    const draft = position === undefined ? this.#drafts.at(-1) : this.#byPosition.get(position);
    return draft?.name === '' && draft.item === undefined ? draft : undefined;
  }

  #sameCall(name: string, position: number | undefined): Draft | undefined {
    const draft = position === undefined ? this.#drafts.at(-1) : this.#byPosition.get(position);
    return draft !== undefined && draft.item === undefined && (draft.name === '' || draft.name === name)
      ? draft
      : undefined;
  }

  #remember(draft: Draft, item: ResponseOutputItem, position: number | undefined): void {
    if (position !== undefined) this.#byPosition.set(position, draft);
    if (item.type !== 'function_call') return;
    draft.position ??= position;
    draft.name = item.name ?? draft.name;
    if (item.id) this.#identify(draft, item.id);
    if (item.call_id) {
      draft.callId = item.call_id;
      this.#byId.set(item.call_id, draft);
    }
  }

  #identify(draft: Draft, id: string): void {
    draft.itemId = id;
    this.#byId.set(id, draft);
  }

  #begin(): Draft {
    const draft: Draft = {
      item: undefined,
      itemId: undefined,
      callId: undefined,
      position: undefined,
      name: '',
      text: '',
    };
    this.#drafts.push(draft);
    return draft;
  }
}

/** Does a new item only share an id with this call? */
function isAnother(draft: Draft, next: ResponseFunctionToolCall, position: number | undefined): boolean {
  if (draft.item !== undefined || (draft.name !== '' && draft.name !== next.name)) return true;
  if (draft.position !== undefined && position !== undefined && draft.position !== position) return true;
  return draft.itemId !== undefined && next.id !== undefined && draft.itemId !== next.id;
}

function itemOf(draft: Draft): ResponseOutputItem {
  if (draft.item !== undefined && draft.item.type !== 'function_call') return draft.item;
  return {
    ...draft.item,
    type: 'function_call',
    ...(draft.itemId === undefined ? {} : { id: draft.itemId }),
    call_id: draft.callId ?? callId(draft.itemId),
    name: draft.name,
    arguments: draft.text,
  };
}

function callId(itemId: string | undefined): string {
  return itemId ?? `call_${randomUUID()}`;
}
